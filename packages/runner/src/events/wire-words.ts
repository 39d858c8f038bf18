import { methods } from '@farhand/protocol/methods/methods'
import { z } from 'zod'

/** What agents say in updates of a session, beside what our own methods have. */
const ofUpdates = `agent_message_chunk agent_thought_chunk user_message_chunk tool_call tool_call_update
  available_commands_update current_mode_update config_option_update session_info_update usage_update
  annotations availableCommands configOptions currentModeId currentValue description entries locations
  newText oldText priority rawInput rawOutput resource resource_link status terminal terminalId toolCallId
  allow_always allow_once reject_always reject_once completed delete execute failed in_progress medium
  pending search switch_mode end_turn max_tokens max_turn_requests refusal`

let known: ReadonlySet<string> | null = null

/** The names and fixed values that events are made of. Each of them can be read in every log, so none tells anything. */
export function wireWords(): ReadonlySet<string> {
  if (known) return known
  const words = new Set(ofUpdates.split(/\s+/))
  for (const { params } of Object.values(methods))
    collect(z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' }), words)
  known = words
  return words
}

function collect(schema: unknown, words: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return
  const { properties = {}, enum: values = [], const: value } = schema as Schema
  for (const word of [...Object.keys(properties), ...values, value])
    if (typeof word === 'string') words.add(word)
  for (const part of Object.values(schema)) collect(part, words)
}

type Schema = { properties?: object; enum?: unknown[]; const?: unknown }

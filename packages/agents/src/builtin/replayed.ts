import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { ModelMessage } from 'ai'
import { textContent } from '../text-content.ts'
import { aboutCall } from './call-tool.ts'
import { PlanInput } from './plan-tools.ts'
import { workTool } from './toolbox.ts'

/** The updates for a host that loads a session: the conversation in order, each call with its end. */
export function replayed(
  messages: readonly ModelMessage[],
  cwd: string,
  callId: (given: string) => string,
): SessionUpdate[] {
  const ids = new Map<string, string>()
  const begun = (given: string): string => {
    ids.set(given, callId(given))
    return ids.get(given) ?? given
  }
  return messages.flatMap((message): SessionUpdate[] => {
    const { role, content } = message
    if (role === 'system') return []
    if (typeof content === 'string')
      return [said(role === 'user' ? 'user_message_chunk' : 'agent_message_chunk', content)]
    return content.flatMap((part): SessionUpdate[] => {
      switch (part.type) {
        case 'text':
          return [said(role === 'user' ? 'user_message_chunk' : 'agent_message_chunk', part.text)]
        case 'reasoning':
          return part.text === '' ? [] : [said('agent_thought_chunk', part.text)]
        case 'tool-call':
          if (part.toolName === 'plan') return planOf(part.input)
          return [
            {
              sessionUpdate: 'tool_call',
              toolCallId: begun(part.toolCallId),
              status: 'pending',
              ...about(part.toolName, part.input, cwd),
            },
          ]
        case 'tool-result': {
          const { output } = part
          const toolCallId = ids.get(part.toolCallId)
          if (!toolCallId || (output.type !== 'text' && output.type !== 'error-text')) return []
          const status = output.type === 'text' ? 'completed' : 'failed'
          return [
            { sessionUpdate: 'tool_call_update', toolCallId, status, content: [textContent(output.value)] },
          ]
        }
        default:
          return []
      }
    })
  })
}

const said = (
  sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
): SessionUpdate => ({ sessionUpdate, content: { type: 'text', text } })

function about(name: string, input: unknown, cwd: string) {
  const tool = workTool(name)
  const known = tool?.input.safeParse(input)
  return tool && known?.success
    ? aboutCall(tool, known.data, cwd)
    : { title: name, kind: 'other' as const, rawInput: input }
}

function planOf(input: unknown): SessionUpdate[] {
  const plan = PlanInput.safeParse(input)
  return plan.success ? [{ sessionUpdate: 'plan', entries: plan.data.entries }] : []
}

import type { AgentStart } from '@farhand/protocol/methods/agent'
import type { SetConfigOption, SetMode } from '@farhand/protocol/methods/control'
import { plainText } from '@farhand/protocol/text/plain-text'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { AgentCommand, AgentSide, Choice, ConfigOption } from '../items/story.ts'
import { asList, asObject, asPlain, asText } from '../values/untyped-values.ts'
import { rawStep, type Step, type Steps } from './step.ts'
import type { StoryDraft } from './story-draft.ts'
import { applyTool } from './tool-steps.ts'
import { withContext } from './usage.ts'
import { plan } from './word-steps.ts'

function begin(draft: StoryDraft, said: AgentStart, { id, timestamp }: SeenEvent): void {
  const { agent, how, sessionId } = said
  draft.endWords()
  draft.costs.began(sessionId)
  draft.agentSince = id
  draft.workspace = said.cwd ?? null
  draft.agent = {
    ...draft.agent,
    name: plainText(agent),
    ...modesOf(said.modes),
    options: configOptions(said.configOptions),
    hearsSteering: steeringOf(said.said),
  }
  draft.add({ kind: 'mark', id, at: timestamp, mark: { is: 'agent', agent: plainText(agent), how } })
}

const commandOf = (one: unknown): AgentCommand[] => {
  const { name, description, input } = asObject(one)
  if (typeof name !== 'string' || name === '') return []
  return [
    {
      name: name.replace(/^\//, ''),
      description: asPlain(description) ?? '',
      hint: asPlain(asObject(input).hint),
    },
  ]
}

const update: Step = (draft, event) => {
  const said = asObject(event.notification.params?.update)
  switch (said.sessionUpdate) {
    case 'tool_call':
    case 'tool_call_update':
      return applyTool(draft, said, event, said.sessionUpdate === 'tool_call')
    case 'plan':
      return plan(draft, said, event)
    case 'available_commands_update':
      draft.agent = { ...draft.agent, commands: asList(said.availableCommands).flatMap(commandOf) }
      return
    case 'current_mode_update':
      draft.agent = { ...draft.agent, mode: asText(said.currentModeId) ?? draft.agent.mode }
      return
    case 'config_option_update':
      draft.agent = { ...draft.agent, options: configOptions(said.configOptions) }
      return
    case 'usage_update':
      draft.costs.told(said)
      draft.usage = { ...withContext(draft.usage, said), costUsd: draft.costs.usd }
  }
}

function setMode(draft: StoryDraft, { modeId }: SetMode, { id, timestamp, by }: SeenEvent): void {
  draft.agent = { ...draft.agent, mode: modeId }
  const mode = draft.agent.modes.find((one) => one.id === modeId)?.name ?? plainText(modeId)
  draft.add({ kind: 'mark', id, at: timestamp, mark: { is: 'mode', of: 'agent', mode, by } })
}

/** Some agents do not report an option that was set for them. */
function setOption(draft: StoryDraft, { configId, value }: SetConfigOption): void {
  if (typeof value !== 'string') return
  const options = draft.agent.options.map((one) => (one.id === configId ? { ...one, value } : one))
  draft.agent = { ...draft.agent, options }
}

export const agentSteps: Steps = {
  agent_start: begin,
  'session/update': rawStep(update),
  'session/set_mode': setMode,
  'session/set_config_option': setOption,
}

const choiceOf = (id: unknown, one: Record<string, unknown>): Choice[] =>
  typeof id === 'string' && id !== ''
    ? [{ id, name: asPlain(one.name) || plainText(id), description: asPlain(one.description) }]
    : []

/** The modes of an agent and the current one, as an ACP session reports them. */
function modesOf(said: unknown): Pick<AgentSide, 'modes' | 'mode'> {
  const { availableModes, currentModeId } = asObject(said)
  const modes = asList(availableModes).flatMap((one) => choiceOf(asObject(one).id, asObject(one)))
  return { modes, mode: asText(currentModeId) }
}

/** Choices may be grouped. */
const choicesOf = (options: unknown): Choice[] =>
  asList(options).flatMap((one) => {
    const said = asObject(one)
    return Array.isArray(said.options) ? choicesOf(said.options) : choiceOf(said.value, said)
  })

/** The options that have choices. Other kinds of options cannot be shown here. */
const configOptions = (said: unknown): ConfigOption[] =>
  asList(said).flatMap((one) => {
    const { id, name, currentValue, options } = asObject(one)
    const choices = choicesOf(options)
    if (typeof id !== 'string' || typeof currentValue !== 'string' || choices.length === 0) return []
    return [{ id, name: asPlain(name) || plainText(id), value: currentValue, choices }]
  })

/** Whether the agent accepts messages during a turn; null if it has not reported its capabilities. */
function steeringOf(said: unknown): boolean | null {
  if (said === undefined) return null
  return asObject(asObject(asObject(said)._meta).steering).supported === true
}

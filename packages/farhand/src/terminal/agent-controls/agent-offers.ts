import { eventName } from '@farhand/protocol/events/event-names'
import { AgentStart, SessionUpdate } from '@farhand/protocol/methods/agent'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { z } from 'zod'
import { firstLine } from '../printing/shown-text.ts'
import { type AgentOption, findByName, optionChanges, parseOptions } from './agent-options.ts'

const Modes = z.looseObject({
  modes: z.looseObject({
    currentModeId: z.string().nullish(),
    availableModes: z.array(z.looseObject({ id: z.string(), name: z.string().nullish().catch(null) })),
  }),
})
const Commands = z.looseObject({
  sessionUpdate: z.literal('available_commands_update'),
  availableCommands: z.array(z.looseObject({ name: z.string() })),
})
const ModeNow = z.looseObject({
  sessionUpdate: z.literal('current_mode_update'),
  currentModeId: z.string(),
})
const OptionsNow = z.looseObject({
  sessionUpdate: z.literal('config_option_update'),
  configOptions: z.array(z.unknown()),
})

export type AgentMode = { readonly id: string; readonly name: string }

/** The modes, options and slash commands that an agent offers, and which are in force. */
export type AgentOffers = {
  readonly modes: readonly AgentMode[]
  readonly mode: string | null
  readonly options: readonly AgentOption[]
  readonly commands: readonly string[]
}

export const noOffers: AgentOffers = { modes: [], mode: null, options: [], commands: [] }

export function agentOffers(offers: AgentOffers, { notification }: SeenEvent): AgentOffers {
  const { method, params } = notification
  if (eventName(method) === 'agent_start' && AgentStart.safeParse(params).success) {
    const said = Modes.safeParse(params).data?.modes
    return {
      modes: said?.availableModes.map(({ id, name }) => ({ id, name: firstLine(name || id, 60) })) ?? [],
      mode: said?.currentModeId ?? null,
      options: parseOptions(params?.configOptions) ?? [],
      commands: offers.commands,
    }
  }
  if (method !== 'session/update') return offers
  const update = SessionUpdate.safeParse(params).data?.update
  switch (update?.sessionUpdate) {
    case 'available_commands_update': {
      const commands = Commands.safeParse(update).data?.availableCommands
      return commands ? { ...offers, commands: commands.map(({ name }) => name.replace(/^\//, '')) } : offers
    }
    case 'current_mode_update': {
      const mode = ModeNow.safeParse(update).data?.currentModeId
      return mode === undefined ? offers : { ...offers, mode }
    }
    case 'config_option_update': {
      const options = parseOptions(OptionsNow.safeParse(update).data?.configOptions)
      return options ? { ...offers, options } : offers
    }
    default:
      return offers
  }
}

/** The changes of mode and options, as lines for the user. */
export function offerChanges(before: AgentOffers, after: AgentOffers): string[] {
  if (before === after) return []
  const isOther = after.mode !== null && after.mode !== before.mode
  const mode = isOther ? [`The agent's mode is now ${modeName(after, after.mode!)}.`] : []
  return [...mode, ...optionChanges(before.options, after.options)]
}

const modeName = ({ modes }: AgentOffers, id: string) =>
  modes.find((mode) => mode.id === id)?.name ?? firstLine(id, 60)

/** The mode that the user typed; null if there is no such mode. */
export const findMode = ({ modes }: AgentOffers, said: string): AgentMode | null =>
  findByName(modes, said, ({ id, name }) => [id, name])

const policies: Readonly<Record<string, string>> = {
  ask: 'you are asked',
  deny: 'what the agent asks permission for is rejected',
  'allow-edits': 'edits inside the folder are allowed, you are asked about the rest',
  'allow-all': 'everything is allowed',
}

function policyInWords(policy: unknown): string | null {
  const base = typeof policy === 'string' ? policy : (policy as { base?: unknown } | null)?.base
  if (typeof base !== 'string') return null
  return `policy ${firstLine(base, 40)}${policies[base] ? `: ${policies[base]}` : ''}`
}

/** The modes of the agent and of the run, and which are in force, as text for the user. */
export function modesInWords(offers: AgentOffers, run: { mode: string; policy: unknown }): string {
  const { modes, mode } = offers
  const own = modes.map(({ id, name }) => `${name}${id === mode ? ' (now)' : ''}`).join(', ')
  return [
    `The agent's mode: ${own || 'it has told of none'}`,
    `The run's mode: ${['interactive', 'background'].map((one) => `${one}${one === run.mode ? ' (now)' : ''}`).join(', ')}${policyBehind(run.policy)}`,
  ].join('\n')
}

const policyBehind = (policy: unknown) => {
  const words = policyInWords(policy)
  return words === null ? '' : `; ${words}`
}

export const runModeInWords = (mode: string, policy: unknown): string =>
  `The run's mode is now ${firstLine(mode, 40)}${policyBehind(policy)}.`

import { AgentStart, SessionUpdate } from '@farhand/protocol/methods/agent'
import type { SeenEvent } from '@farhand/protocol/seen-event'
import { z } from 'zod'
import { firstLine } from './shown-text.ts'

const Modes = z.looseObject({
  modes: z.looseObject({
    currentModeId: z.string().nullish(),
    availableModes: z.array(z.looseObject({ id: z.string() })),
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

/** What an agent has said can be said to it besides messages. */
export type AgentOffers = {
  readonly modes: readonly string[]
  readonly mode: string | null
  readonly commands: readonly string[]
}

export const noOffers: AgentOffers = { modes: [], mode: null, commands: [] }

/** The offers after one more event; the same object when nothing changed. */
export function agentOffers(offers: AgentOffers, { notification }: SeenEvent): AgentOffers {
  const { method, params } = notification
  if (method === '_posthog/agent_start' && AgentStart.safeParse(params).success) {
    const said = Modes.safeParse(params).data?.modes
    return {
      modes: said?.availableModes.map(({ id }) => id) ?? [],
      mode: said?.currentModeId ?? null,
      commands: offers.commands,
    }
  }
  if (method !== 'session/update') return offers
  const update = SessionUpdate.safeParse(params).data?.update
  const commands = Commands.safeParse(update).data?.availableCommands
  if (commands) return { ...offers, commands: commands.map(({ name }) => name.replace(/^\//, '')) }
  const mode = ModeNow.safeParse(update).data?.currentModeId
  return mode === undefined ? offers : { ...offers, mode }
}

const ours = ['help', 'steer', 'cancel', 'mode', 'detach', 'close']

const slashed = (names: readonly string[]) => names.map((name) => `/${name}`).join(', ')

/** What can be typed besides a message, in a few lines. */
export function talkHelp({ commands }: AgentOffers): string {
  const lines = [
    'What you type is a message to the agent; it waits for its turn. Besides:',
    '  /steer <words>  says them into the turn that is under way',
    '  /cancel         ends that turn (Ctrl-C offers it, too)',
    '  /mode <mode>    changes the mode; /mode alone lists them',
    '  /detach         leaves, and the run goes on (also Ctrl-C twice, or Ctrl-D)',
    '  /close          ends the run',
  ]
  const own = firstLine(slashed(commands.filter((name) => !ours.includes(name))))
  if (own !== '') lines.push(`The agent's own: ${own}`)
  return lines.join('\n')
}

/** The modes there are, and which of them the agent is in. */
export function modesInWords({ modes, mode }: AgentOffers): string {
  const own = modes.map((id) => `${firstLine(id)}${id === mode ? ' (now)' : ''}`).join(', ')
  return `Of the agent: ${own || 'it has told of none'}. Of the run: interactive, background.`
}

/** What there is instead, for somebody who typed a command that neither we nor the agent know; null for all else. */
export function mistypedInWords(line: string, { commands }: AgentOffers): string | null {
  const word = /^\/(\p{L}+)(?!\S)/u.exec(line)?.[1]
  if (word === undefined || commands.some((name) => name.split(' ', 1)[0] === word)) return null
  return `There is no /${word}; nothing was sent. There are ${slashed(ours)}.`
}

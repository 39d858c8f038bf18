import { eventName } from '@farhand/protocol/events/event-names'
import { PhaseComplete } from '@farhand/protocol/methods/reports'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** When the steps of this command were done, in ms since it began. */
export type StartMarks = Partial<Record<'created' | 'baseMade' | 'baseSent' | 'inStep' | 'prompted', number>>

/** A new run in a sandbox: when the hub made it, and what this command did when. */
export type Begun = { createdAt: string; marks: StartMarks & { created: number } }

export type StartStep =
  | keyof StartMarks
  | 'provisioned'
  | 'restored'
  | 'setUp'
  | 'heard'
  | 'agentStarted'
  | 'firstWord'

const phases: Readonly<Record<string, StartStep>> = {
  provisioning: 'provisioned',
  restoring: 'restored',
  setup: 'setUp',
}

/**
 * When each step of the start of a run was done, up to the agent's first word, in ms since the command began, in order.
 * Events have times of the hub's clock, which may differ: `createdAt` relates the two clocks.
 */
export function startTimes(
  marks: StartMarks & { created: number },
  createdAt: string,
  events: Iterable<SeenEvent>,
): { step: StartStep; ms: number }[] {
  const steps = new Map(Object.entries(marks) as [StartStep, number][])
  const begin = Date.parse(createdAt) - marks.created
  for (const event of events) {
    const step = stepOf(event)
    if (step && !steps.has(step)) steps.set(step, Date.parse(event.timestamp) - begin)
    if (step === 'firstWord') break
  }
  return [...steps].map(([step, ms]) => ({ step, ms: Math.round(ms) })).sort((a, b) => a.ms - b.ms)
}

function stepOf({ notification: { method, params = {} } }: SeenEvent): StartStep | null {
  switch (eventName(method)) {
    case 'phase_complete': {
      const done = PhaseComplete.safeParse(params).data
      return done && done.ok !== false ? (phases[done.phase] ?? null) : null
    }
    case 'ack':
      return 'heard'
    case 'agent_start':
      return 'agentStarted'
    case 'agent_message_chunk':
      return 'firstWord'
    default:
      return null
  }
}

const words: Readonly<Record<StartStep, string>> = {
  created: 'the run is made',
  baseMade: 'the repository is packed',
  baseSent: 'the hub has the repository',
  inStep: 'the hub has all files',
  prompted: 'the message is sent',
  provisioned: 'the sandbox is ready',
  restored: 'the sandbox has the files',
  setUp: 'the setup is done',
  heard: 'the runner has the message',
  agentStarted: 'the agent has started',
  firstWord: "the agent's first word",
}

/** The times as lines of text. */
export const timesInWords = (times: readonly { step: StartStep; ms: number }[]) =>
  times.map(({ step, ms }) => `${(ms / 1000).toFixed(2).padStart(8)} s  ${words[step]}`)

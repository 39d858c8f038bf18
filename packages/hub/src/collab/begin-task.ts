import type { DelegatedTask, NewDelegatedTask } from '@farhand/protocol/delegated/delegated-tasks'
import { event } from '@farhand/protocol/events/event-names'
import type { AvailableAgents, ListedAgent } from '@farhand/protocol/schemas/available-agents'
import type { Author, Notification } from '@farhand/protocol/wire/event'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import type { Batch } from '../log/event-log.ts'

/**
 * The agent that works on a new task: the one that was asked for, else the first that is set up at this hub. Null if the program that
 * delegates brings a runner of its own.
 */
export function agentFor(here: AvailableAgents, { agent, sandbox }: NewDelegatedTask): string | null {
  if (sandbox === 'none') return agent ?? null
  if (sandbox === undefined && here.usual === 'none')
    throw new Fault(
      'sandbox.refused',
      'this hub starts no sandboxes, so nothing would work on the task; with "sandbox": "none" you bring a runner of your own',
    )
  const ready = here.agents.filter(({ state }) => state === 'usable' || state === 'maybe')
  if (agent !== undefined) {
    if (ready.some(({ id }) => id === agent)) return agent
    throw malformed('agent', `this hub has no such agent that is set up; it has ${namesOf(ready)}`)
  }
  const usable = ready.filter(({ state }) => state === 'usable')
  // The rehearsal only plays an agent: it is taken where there is no other, as in tests.
  const chosen = usable.find(({ id }) => id !== 'rehearsal') ?? usable[0]
  if (chosen) return chosen.id
  throw new Fault(
    'sandbox.refused',
    'no agent is set up at this hub; its operator has to give it the key of one',
  )
}

const namesOf = (agents: readonly ListedAgent[]) => agents.map(({ id }) => id).join(', ') || 'none'

/** The first events of a task's run: it waits for its user's answers, and gets the task with its context as its first message. */
export function firstBatches({ session_id: run, task, context }: DelegatedTask, by: Author): Batch[] {
  const batch = (name: string, notification: Notification): Batch => ({
    by,
    notifications: [notification],
    key: { key: `create/${name}`, body: run },
  })
  return [
    batch('mode', event('mode_change', { mode: 'background', policy: 'ask' })),
    batch('prompt', event('user_message', { content: withContext(task, context) })),
  ]
}

function withContext(task: string, context: DelegatedTask['context']): string {
  if (context === null || context === '') return task
  const said = typeof context === 'string' ? context : JSON.stringify(context, null, 2)
  return `${task}\n\nContext:\n${said}`
}

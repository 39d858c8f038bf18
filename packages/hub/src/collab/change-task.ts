import type { DelegatedStatus, TaskAction } from '@farhand/protocol/delegated/delegated-tasks'
import { allowedActions } from '@farhand/protocol/delegated/task-machine'
import { event } from '@farhand/protocol/events/event-names'
import type { RunView } from '@farhand/protocol/runs/run-view'
import type { Notification } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'

const goOn = 'Go on with the task where you stopped.'

/** The events that pause, resume or cancel the task of a run (W83). */
export function changesFor(action: TaskAction, view: RunView, mayClose: boolean): Notification[] {
  const isWorking = view.openTurns.length > 0
  switch (action) {
    // A pause alone would let the agent finish its turn, which may take hours.
    case 'pause':
      return [event('pause', {}), ...(isWorking ? [event('cancel', {})] : [])]
    // The message comes first: a resumed run without one would have nothing to do. It is also needed while the turn has not ended yet
    // that the pause has cancelled, as its end would be the end of the task.
    case 'resume': {
      const hasNothing = view.unacked.length === 0
      return [...(hasNothing ? [event('user_message', { content: goOn })] : []), event('resume', {})]
    }
    case 'cancel':
      return [
        ...(isWorking ? [event('cancel', {})] : []),
        ...(mayClose ? [event('close', {})] : takenBack(view)),
      ]
  }
}

const takenBack = ({ unacked }: RunView): Notification[] =>
  unacked.flat().map((messageId) => event('message_edit', { messageId, content: null }))

/** Why this cannot be done with a task in this state, and what can. */
export function refusedFor(status: DelegatedStatus, wanted: TaskAction | 'input'): Fault {
  const allowed = allowedActions(status)
  const instead =
    allowed.length > 0 ? `it can be ${allowed.map((one) => words[one]).join(' or ')}` : 'it is over'
  const what = wanted === 'input' ? 'take input' : `be ${words[wanted]}`
  return new Fault('task.refused', `this task is ${status} and cannot ${what}; ${instead}`, { allowed })
}

const words: Record<TaskAction, string> = { pause: 'paused', resume: 'resumed', cancel: 'canceled' }

/** What the state of a task depends on: events that leave this as it is do not change what may be done. */
export const stateKey = ({ status, closing, turns, stopReason, openTurns, unacked }: RunView): string =>
  JSON.stringify([status, closing, turns, stopReason, openTurns.length > 0, unacked.flat()])

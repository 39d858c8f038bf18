import { isBadEnd } from '../runs/is-bad-end.ts'
import type { RunView } from '../runs/run-view.ts'
import type { SeenEvent } from '../wire/seen-event.ts'
import type { DelegatedStatus } from './delegated-tasks.ts'
import { isTaskOver } from './task-machine.ts'

/** The state of a run as a task that was delegated: a fold of its log. The first end of all work is the end of the task. */
export type TaskState = {
  status: DelegatedStatus
  /** When the agent began. */
  startedAt: string | null
  ended: { seq: number; at: string } | null
}

export const newTaskState: TaskState = { status: 'submitted', startedAt: null, ended: null }

/** The state after one more event; the same object when nothing changed. `before` and `view` are the run around it. */
export function foldTaskState(state: TaskState, event: SeenEvent, before: RunView, view: RunView): TaskState {
  if (view === before || state.ended) return state
  const status = statusAfter(state, before, view)
  const hasBegun = state.startedAt === null && view.openTurns.length > 0
  if (status === state.status && !hasBegun) return state
  return {
    status,
    startedAt: hasBegun ? event.timestamp : state.startedAt,
    ended: isTaskOver(status) ? { seq: event.id, at: event.timestamp } : null,
  }
}

function statusAfter({ status }: TaskState, before: RunView, view: RunView): DelegatedStatus {
  if (view.status === 'failed') return 'failed'
  if (view.closing || view.status === 'closed') return 'canceled'
  const isPaused = view.status === 'paused'
  if (isIdle(view) && !isIdle(before)) return endOfWork(view, isPaused)
  if (isPaused) return 'paused'
  if (status === 'paused' || view.openTurns.length > 0) return 'working'
  return status
}

/** No turn is open and no message waits: the agent has done what it was asked, or was told not to. */
const isIdle = ({ openTurns, unacked }: RunView): boolean => openTurns.length === 0 && unacked.length === 0

const heldEnds: ReadonlySet<string | null> = new Set(['cancelled', 'interrupted'])

function endOfWork({ turns, stopReason }: RunView, isPaused: boolean): DelegatedStatus {
  // The only message was taken back before the agent began.
  if (turns === 0) return 'canceled'
  // To pause a task ends its turn; it goes on with another one.
  if (isPaused && heldEnds.has(stopReason)) return 'paused'
  if (stopReason === 'cancelled') return 'canceled'
  return isBadEnd(stopReason) ? 'failed' : 'completed'
}

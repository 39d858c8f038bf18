import { isBadEnd } from '@farhand/protocol/runs/is-bad-end'
import type { RunView } from '@farhand/protocol/runs/run-view'
import { pendingQuestions } from '@farhand/protocol/runs/sync-status'

export type Outcome = { state: 'finished' | 'failed'; reason: string | null }

/** How the run of an occurrence has ended, by the fold of its log; null while it has work to do. */
export function outcomeOf(view: RunView): Outcome | null {
  const { status, turns, stopReason, openTurns, unacked } = view
  if (status === 'failed') return failed('The run could not go on.')
  const isIdle = openTurns.length === 0 && unacked.length === 0 && pendingQuestions(view).length === 0
  if (turns === 0 || !isIdle)
    return status === 'closed' ? failed('The run was closed before its work was done.') : null
  if (isBadEnd(stopReason)) return failed(`Its last turn ended as ${stopReason}.`)
  if (stopReason === 'cancelled') return failed('Its work was cancelled.')
  return { state: 'finished', reason: null }
}

const failed = (reason: string): Outcome => ({ state: 'failed', reason })

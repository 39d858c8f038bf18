import { hasId } from '@farhand/protocol/runs/id-list'
import type { RunView } from '@farhand/protocol/runs/run-view'
import type { PendingAction } from './outbox.ts'

/** The state of the run; `isSure`: the page is connected or the run is over, so the state is up to date. */
export type KnownState = { view: RunView; isSure: boolean; lastId: number }

/** An older action is sent only after the user agrees: after a day the user may have forgotten it. */
const staleMs = 24 * 3600_000

/** Within this time, the run has hardly changed without the user seeing it. */
const freshMs = 10_000

/**
 * Whether a pending action is still what the user meant. A `cancel` was meant for the turn that was running then;
 * an hour later it would stop another turn. An answer to an answered question is not needed. A message that the
 * agent has started must not be sent into the turn a second time; a change to it comes too `late`, and the user
 * keeps the text. `ask-later`: the action is old and the log is not read to its end; the hub may have the action,
 * and asking now could tell the user wrongly that it was never sent.
 */
export function decideAction(
  pending: PendingAction,
  { view, isSure }: Omit<KnownState, 'lastId'>,
  nowMs: number,
): 'send' | 'wait' | 'drop' | 'late' | 'ask' | 'ask-later' {
  const { action, turns, writtenAt, agreedAt } = pending
  const ask = isSure ? 'ask' : 'ask-later'
  const isStale = Math.abs(nowMs - Date.parse(agreedAt ?? writtenAt)) > staleMs
  if (action.do === 'answer') {
    const isOpen = view.openQuestions.some(({ questionId }) => questionId === action.questionId)
    return isSure && !isOpen ? 'drop' : isStale ? ask : 'send'
  }
  // Math.abs: the user may have set the clock back.
  const isFresh = Math.abs(nowMs - Date.parse(writtenAt)) < freshMs
  if ('messageId' in action) {
    if (isSure && !hasId(view.unacked, action.messageId)) return action.do === 'edit' ? 'late' : 'drop'
    if (!isSure && !isFresh) return 'wait'
    return isStale ? ask : 'send'
  }
  if (action.do !== 'cancel') return isStale ? ask : 'send'
  if (isFresh) return 'send'
  if (!isSure) return 'wait'
  return view.openTurns.some(({ messageId }) => turns.includes(messageId)) ? 'send' : 'drop'
}

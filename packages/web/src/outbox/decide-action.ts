import { hasId } from '@farhand/protocol/runs/id-list'
import type { RunView } from '@farhand/protocol/runs/run-view'
import type { PendingAction } from './outbox.ts'

/** How the run stands, and whether that is known to be so now: by a line to the hub, or because the run is over. */
export type Known = { view: RunView; isSure: boolean; lastId: number }

/** What waited for longer is asked about: a day later people may not even remember that they wrote it. */
const staleMs = 24 * 3600_000

/** Within this time nothing has changed that a person would not have seen. */
const freshMs = 10_000

/**
 * Whether a action that waited is still what its writer meant. To stop was meant for what went on then: an hour later it
 * would end another turn. An answer to what somebody else has answered is no longer needed. A message that the agent has
 * begun with meanwhile would be heard twice if it were said into the turn; new words for it are too `late`, and not lost.
 * `ask-later`: it is so old that its writer is asked, and the log is not read to its end: the hub may have it, and only the
 * answer was lost. A writer who is asked before that would hear that it was never sent.
 */
export function decideAction(
  pending: PendingAction,
  { view, isSure }: Omit<Known, 'lastId'>,
  nowMs: number,
): 'send' | 'wait' | 'drop' | 'late' | 'ask' | 'ask-later' {
  const { action, turns, writtenAt, agreedAt } = pending
  const ask = isSure ? 'ask' : 'ask-later'
  const isStale = Math.abs(nowMs - Date.parse(agreedAt ?? writtenAt)) > staleMs
  if (action.do === 'answer') {
    const isOpen = view.openQuestions.some(({ questionId }) => questionId === action.questionId)
    return isSure && !isOpen ? 'drop' : isStale ? ask : 'send'
  }
  // A clock that was put back says nothing of how long it waited.
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

import { hasId } from '@farhand/protocol/id-list'
import type { RunView } from '@farhand/protocol/run-view'
import type { KeptDeed } from './deed-box.ts'

/** How the run stands, and whether that is known to be so now: by a line to the hub, or because the run is over. */
export type Known = { view: RunView; isSure: boolean; lastId: number }

/** Within this time nothing has changed that a person would not have seen. */
const freshMs = 10_000

/**
 * Whether a deed that waited is still what its writer meant. To stop was meant for what went on then: an hour later it
 * would end another turn. An answer to what somebody else has answered is no longer needed. A message that the agent has
 * begun with meanwhile would be heard twice if it were said into the turn; new words for it are too `late`, and not lost.
 */
export function stillMeant(
  kept: KeptDeed,
  { view, isSure }: Omit<Known, 'lastId'>,
  nowMs: number,
): 'send' | 'wait' | 'drop' | 'late' {
  const { deed, turns, writtenAt } = kept
  if (deed.do === 'answer') {
    const isOpen = view.openQuestions.some(({ questionId }) => questionId === deed.questionId)
    return isSure && !isOpen ? 'drop' : 'send'
  }
  // A clock that was put back says nothing of how long it waited.
  const isFresh = Math.abs(nowMs - Date.parse(writtenAt)) < freshMs
  if ('messageId' in deed) {
    if (isSure) return hasId(view.unacked, deed.messageId) ? 'send' : deed.do === 'edit' ? 'late' : 'drop'
    return isFresh ? 'send' : 'wait'
  }
  if (deed.do !== 'cancel' || isFresh) return 'send'
  if (!isSure) return 'wait'
  return view.openTurns.some(({ messageId }) => turns.includes(messageId)) ? 'send' : 'drop'
}

import type { RunView } from '@farhand/protocol/run-view'
import type { KeptDeed } from './deed-box.ts'

/** How the run stands, and whether that is known to be so now. */
export type Known = { view: RunView; isLive: boolean; lastId: number }

/** Within this time nothing has changed that a person would not have seen. */
const freshMs = 10_000

/**
 * Whether a deed that waited is still what its writer meant. To stop was meant for what went on then: an hour later it
 * would end another turn. An answer to what somebody else has answered is no longer needed.
 */
export function stillMeant(
  kept: KeptDeed,
  { view, isLive }: Omit<Known, 'lastId'>,
  nowMs: number,
): 'send' | 'wait' | 'drop' {
  const { deed, turns, writtenAt } = kept
  if (deed.do === 'answer') {
    const isOpen = view.openQuestions.some(({ questionId }) => questionId === deed.questionId)
    return isLive && !isOpen ? 'drop' : 'send'
  }
  if (deed.do !== 'cancel' || nowMs - Date.parse(writtenAt) < freshMs) return 'send'
  if (!isLive) return 'wait'
  return view.openTurns.some(({ messageId }) => turns.includes(messageId)) ? 'send' : 'drop'
}

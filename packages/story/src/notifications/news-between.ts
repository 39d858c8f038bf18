import { isBadEnd } from '@farhand/protocol/runs/is-bad-end'
import type { RunNotificationKind } from '@farhand/protocol/schemas/push'

/** What users are notified of: `question` grows with each question, `turns` with each end of work. */
export type Notified = { question: number; turns: number; hasFailed: boolean }

/** What a user is notified of when a run has gone from one state to the next (W49); null if of nothing. */
export function newsBetween(
  was: Notified,
  is: Notified,
  stopReason: string | null | undefined,
): RunNotificationKind | null {
  if (is.question > was.question) return 'needs-you'
  if (is.hasFailed) return was.hasFailed ? null : 'failed'
  if (is.turns <= was.turns || stopReason === 'cancelled') return null
  return isBadEnd(stopReason) ? 'failed' : 'done'
}

import { isBadEnd } from '@farhand/protocol/runs/is-bad-end'
import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { RunNotificationKind } from '@farhand/protocol/schemas/push'

/**
 * The notification for the change between two states of a listed run, or null. The hub uses the same rule for push (W49).
 */
export function newsOfRun(before: ListedRun, after: ListedRun): RunNotificationKind | null {
  const [was, is] = [before.now, after.now]
  if (!was || !is || after.isMuted || is.status === 'closed') return null
  if (is.questions > was.questions) return 'needs-you'
  if (is.status === 'failed') return was.status === 'failed' ? null : 'failed'
  const isOver = is.agentStatus === 'idle' && is.questions === 0
  if (!isOver || (is.turns ?? 0) <= (was.turns ?? 0) || is.stopReason === 'cancelled') return null
  return isBadEnd(is.stopReason) ? 'failed' : 'done'
}

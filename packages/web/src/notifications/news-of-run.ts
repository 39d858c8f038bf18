import type { ListedRun, RunNow } from '@farhand/protocol/schemas/api'
import type { RunNotificationKind } from '@farhand/protocol/schemas/push'
import { type Notified, newsBetween } from '@farhand/story/notifications/news-between'

/** The notification for the change between two states of a listed run, or null: as the hub decides it for push (W49). */
export function newsOfRun(before: ListedRun, after: ListedRun): RunNotificationKind | null {
  const [was, is] = [before.now, after.now]
  if (!was || !is || after.isMuted || is.status === 'closed') return null
  const isOver = is.agentStatus === 'idle' && is.questions === 0
  return newsBetween(stateOf(was), isOver ? stateOf(is) : { ...stateOf(is), turns: 0 }, is.stopReason)
}

const stateOf = ({ questions, turns = 0, status }: RunNow): Notified => ({
  question: questions,
  turns,
  hasFailed: status === 'failed',
})

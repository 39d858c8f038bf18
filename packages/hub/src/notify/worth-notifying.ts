import { isBadEnd } from '@farhand/protocol/runs/is-bad-end'
import type { RunView } from '@farhand/protocol/runs/run-view'
import { pendingQuestions } from '@farhand/protocol/runs/sync-status'
import type { RunNotificationKind } from '@farhand/protocol/schemas/push'

/** What the owner of a run has been notified of, or need not be. */
export type Notified = {
  /** The event id of the newest question. */
  question: number
  /** The number of finished turns. */
  turns: number
  hasFailed: boolean
}

export const nothingNotified: Notified = { question: 0, turns: 0, hasFailed: false }

/** Older events, for example from while no hub was running, are not worth a notification. */
const newsMs = 10 * 60_000

/**
 * The notification for a run's current state, if any, and what counts as notified after it. Each question and each end of work is
 * notified once. Work has not ended while further messages are queued.
 */
export function worthNotifying(
  notified: Notified,
  view: RunView,
  now: number,
): { kind: RunNotificationKind | null; notified: Notified } {
  const asked = Math.max(0, ...pendingQuestions(view).map(({ eventId }) => eventId))
  const isOver = isIdle(view) && asked === 0
  const next: Notified = {
    question: Math.max(notified.question, asked),
    turns: isOver ? view.turns : notified.turns,
    hasFailed: view.status === 'failed',
  }
  const kind = whatKind(notified, next, view)
  const isNews = view.lastActivityAt === null || now - Date.parse(view.lastActivityAt) < newsMs
  return { kind: isNews ? kind : null, notified: isSame(notified, next) ? notified : next }
}

function whatKind(notified: Notified, next: Notified, view: RunView): RunNotificationKind | null {
  // The user who closes a run knows its state.
  if (view.status === 'closed' || view.closing) return null
  if (next.question > notified.question) return 'needs-you'
  if (next.hasFailed) return notified.hasFailed ? null : 'failed'
  if (next.turns <= notified.turns || view.stopReason === 'cancelled') return null
  return isBadEnd(view.stopReason) ? 'failed' : 'done'
}

const isIdle = ({ openTurns, unacked }: RunView) => openTurns.length === 0 && unacked.length === 0

const isSame = (a: Notified, b: Notified) =>
  a.question === b.question && a.turns === b.turns && a.hasFailed === b.hasFailed

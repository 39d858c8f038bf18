import type { RunView } from '@farhand/protocol/runs/run-view'
import { pendingQuestions } from '@farhand/protocol/runs/sync-status'
import type { RunNotificationKind } from '@farhand/protocol/schemas/push'
import { type Notified, newsBetween } from '@farhand/story/notifications/news-between'

export const nothingNotified: Notified = { question: 0, turns: 0, hasFailed: false }

/** Older events, for example from while no hub was running, are not worth a notification. */
const newsMs = 10 * 60_000

/**
 * The notification for a run's current state, if any, and what its owner has been notified of, or need not be, after it
 * (a question by the id of its event). Each question and each end of work is
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
  // The user who closes a run knows its state.
  const isEnding = view.status === 'closed' || view.closing
  const kind = isEnding ? null : newsBetween(notified, next, view.stopReason)
  const isNews = view.lastActivityAt === null || now - Date.parse(view.lastActivityAt) < newsMs
  return { kind: isNews ? kind : null, notified: isSame(notified, next) ? notified : next }
}

const isIdle = ({ openTurns, unacked }: RunView) => openTurns.length === 0 && unacked.length === 0

const isSame = (a: Notified, b: Notified) =>
  a.question === b.question && a.turns === b.turns && a.hasFailed === b.hasFailed

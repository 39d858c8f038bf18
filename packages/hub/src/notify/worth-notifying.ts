import { isBadEnd } from '@farhand/protocol/runs/is-bad-end'
import type { RunView } from '@farhand/protocol/runs/run-view'
import { pendingQuestions } from '@farhand/protocol/runs/sync-status'
import type { RunNotificationKind } from '@farhand/protocol/schemas/push'

/** Up to where people have been told of a run, or need not be. */
export type Told = {
  /** The newest question, by its event. */
  question: number
  /** How many turns. */
  turns: number
  hasFailed: boolean
}

export const nothingNotified: Told = { question: 0, turns: 0, hasFailed: false }

/** What happened while no hub was there, or long before anybody could be told, is no news. */
const newsMs = 10 * 60_000

/**
 * What there is to tell of a run as it stands now, and what counts as told once that is done, or nobody wants to know. Each
 * question and each end of work is told once; between two messages of a queue nothing is over.
 */
export function worthNotifying(
  told: Told,
  view: RunView,
  now: number,
): { kind: RunNotificationKind | null; told: Told } {
  const asked = Math.max(0, ...pendingQuestions(view).map(({ eventId }) => eventId))
  const isOver = isIdle(view) && asked === 0
  const next: Told = {
    question: Math.max(told.question, asked),
    turns: isOver ? view.turns : told.turns,
    hasFailed: view.status === 'failed',
  }
  const kind = whatKind(told, next, view)
  const isNews = view.lastActivityAt === null || now - Date.parse(view.lastActivityAt) < newsMs
  return { kind: isNews ? kind : null, told: isSame(told, next) ? told : next }
}

function whatKind(told: Told, next: Told, view: RunView): RunNotificationKind | null {
  // Whoever closes a run knows how it stands.
  if (view.status === 'closed' || view.closing) return null
  if (next.question > told.question) return 'needs-you'
  if (next.hasFailed) return told.hasFailed ? null : 'failed'
  if (next.turns <= told.turns || view.stopReason === 'cancelled') return null
  return isBadEnd(view.stopReason) ? 'failed' : 'done'
}

const isIdle = ({ openTurns, unacked }: RunView) => openTurns.length === 0 && unacked.length === 0

const isSame = (a: Told, b: Told) =>
  a.question === b.question && a.turns === b.turns && a.hasFailed === b.hasFailed

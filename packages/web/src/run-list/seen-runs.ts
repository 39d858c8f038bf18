/** How far somebody has read a run: its newest event then, and when something was last done in it. */
export type SeenMark = { event: number; activeAt: string | null }
export type SeenRuns = Readonly<Record<string, SeenMark>>

const most = 500
/** Under this name is when this browser was first used: what was over by then is no news here. No run is called so. */
const first = 'first'

/** The marks of a browser in which nobody was before. */
export const firstSeen = (nowMs: number): SeenRuns => ({
  [first]: { event: 0, activeAt: new Date(nowMs).toISOString() },
})

/** The marks with one more, the newest last; the oldest are forgotten. The same object if it tells nothing new. */
export function withSeen(seen: SeenRuns, run: string, mark: SeenMark): SeenRuns {
  const before = seen[run]
  // A page that shows what it remembers knows less than one that was open since.
  if (before && before.event >= mark.event) return seen
  const { [run]: _, [first]: since, ...others } = seen
  const kept = Object.entries(others).slice(-(most - 1))
  return { ...(since && { [first]: since }), ...Object.fromEntries(kept), [run]: mark }
}

/**
 * Whether something was done in a run since its user looked at it, in this browser or, as the hub has it, anywhere. What the hub tells of itself, such as that a
 * run fell asleep, is nothing to read.
 */
export function isUnread(seen: SeenRuns, run: string, now: SeenMark, atHub: SeenMark | null = null): boolean {
  const here = seen[run]
  const mark = here && here.event >= (atHub?.event ?? 0) ? here : (atHub ?? seen[first])
  if (!mark) return now.event > 0
  if (now.activeAt !== null && mark.activeAt !== null) return now.activeAt > mark.activeAt
  return now.event > mark.event
}

/** What was kept in the browser; anything that is no mark is passed over. */
export function readSeen(text: string | null): SeenRuns {
  const seen: Record<string, SeenMark> = {}
  for (const [run, mark] of Object.entries(parsed(text))) {
    const { event, activeAt } = (mark ?? {}) as Partial<SeenMark>
    if (typeof event === 'number')
      seen[run] = { event, activeAt: typeof activeAt === 'string' ? activeAt : null }
  }
  return seen
}

function parsed(text: string | null): object {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    // Somebody else's, or cut short: to have read nothing is the worst that comes of it.
    return {}
  }
}

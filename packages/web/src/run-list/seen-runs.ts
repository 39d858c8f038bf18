import { parsedObject } from '../text/parsed-object.ts'

/** How far the user has read a run: its newest event, and the time of the last activity. */
export type SeenMark = { event: number; activeAt: string | null }
export type SeenRuns = Readonly<Record<string, SeenMark>>

const most = 500
/** The key under which the time of first use is stored: earlier activity is not unread. No run has this id. */
const first = 'first'

/** The marks of a browser on its first use. */
export const firstSeen = (nowMs: number): SeenRuns => ({
  [first]: { event: 0, activeAt: new Date(nowMs).toISOString() },
})

/** The marks with one more, the newest last; the oldest are dropped. The same object if nothing changes. */
export function withSeen(seen: SeenRuns, run: string, mark: SeenMark): SeenRuns {
  const before = seen[run]
  // A page with an old cache knows less than a page that stayed open.
  if (before && before.event >= mark.event) return seen
  const { [run]: _, [first]: since, ...others } = seen
  const kept = Object.entries(others).slice(-(most - 1))
  return { ...(since && { [first]: since }), ...Object.fromEntries(kept), [run]: mark }
}

/**
 * Whether a run has activity that the user has not seen in this browser or, as the hub knows, on any device.
 * Changes by the hub itself, such as a run falling asleep, do not count.
 */
export function isUnread(seen: SeenRuns, run: string, now: SeenMark, atHub: SeenMark | null = null): boolean {
  const here = seen[run]
  const mark = here && here.event >= (atHub?.event ?? 0) ? here : (atHub ?? seen[first])
  if (!mark) return now.event > 0
  if (now.activeAt !== null && mark.activeAt !== null) return now.activeAt > mark.activeAt
  return now.event > mark.event
}

/** Parses the stored marks; ignores what is no mark. */
export function readSeen(text: string | null): SeenRuns {
  const seen: Record<string, SeenMark> = {}
  for (const [run, mark] of Object.entries(parsedObject(text))) {
    const { event, activeAt } = (mark ?? {}) as Partial<SeenMark>
    if (typeof event === 'number')
      seen[run] = { event, activeAt: typeof activeAt === 'string' ? activeAt : null }
  }
  return seen
}

import type { RunId } from '@farhand/protocol/wire/ids'

/** A closed run that this machine remembers; `url` is its hub, if known. */
export type ClosedRun = { run: RunId; url: string | null; closedAt: number }

const mostKept = 20
const keptMs = 30 * 24 * 60 * 60 * 1000

/**
 * Which closed runs this machine can forget. The ones closed last stay for a while: if the user opens one again, its agent
 * still has its memory, and changes in its folder count as new. One run of each hub always stays, because its token gives access to
 * the hub; `urls` are the hubs that are remembered anyway.
 */
export function runsToForget(
  closed: readonly ClosedRun[],
  urls: ReadonlySet<string>,
  now: number,
): ClosedRun[] {
  const known = new Set(urls)
  return closed
    .toSorted((a, b) => b.closedAt - a.closedAt)
    .filter(({ url, closedAt }, at) => {
      const isOnly = url !== null && !known.has(url)
      if (url !== null) known.add(url)
      return !isOnly && (at >= mostKept || now - closedAt >= keptMs)
    })
}

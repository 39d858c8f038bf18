import type { RunId } from '@farhand/protocol/wire/ids'

/** A run that was closed, as this machine remembers it; `url` is its hub, if that is known. */
export type ClosedRun = { run: RunId; url: string | null; closedAt: number }

const mostKept = 20
const keptMs = 30 * 24 * 60 * 60 * 1000

/**
 * Which closed runs need not be remembered any more. Those closed last stay for a while: whoever opens one again wants
 * its agent to remember, and what was done in its folder since to count as news. And one of each hub always stays,
 * because by its token the hub is found; `urls` are the hubs that are remembered anyway.
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

export type Cut = {
  /** The commits that are kept. */
  commits: Set<string>
  /** The kept commits with parents that are not kept. */
  shallow: string[]
}

/** Cuts a history to `depth` generations of commits, counted from each tip. */
export function cutHistory(
  tips: readonly string[],
  parentsOf: ReadonlyMap<string, readonly string[]>,
  depth: number,
): Cut {
  const commits = new Set(tips)
  const shallow: string[] = []
  let row = [...commits]
  for (let left = depth; row.length > 0; left--) {
    const next: string[] = []
    for (const commit of row) {
      const parents = parentsOf.get(commit)
      // The history was only read to here: cut here as well.
      if (left <= 1 || parents === undefined) {
        if (parents === undefined || parents.length > 0) shallow.push(commit)
        continue
      }
      for (const parent of parents) {
        if (commits.has(parent)) continue
        commits.add(parent)
        next.push(parent)
      }
    }
    row = next
  }
  return { commits, shallow }
}

/** The depths to try, one after the other, until the bundle is small enough; null means the whole history. */
export const depthsToTry = (storedBytes: number, mostBytes: number): (number | null)[] =>
  storedBytes > mostBytes ? [50, 1] : [null, 50, 1]

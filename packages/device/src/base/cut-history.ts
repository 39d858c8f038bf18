export type Cut = {
  /** Every commit that is left. */
  commits: Set<string>
  /** Those of them that have parents which are not. */
  shallow: string[]
}

/** What is left of a history if only so many generations of commits are kept, counted from each of the tips. */
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
      // Further back than anybody has looked: there it ends as well.
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

/** How many generations are tried, one after the other, until it is not too much; null is all of them. */
export const depthsToTry = (storedBytes: number, mostBytes: number): (number | null)[] =>
  storedBytes > mostBytes ? [50, 1] : [null, 50, 1]

/** A run that waits for a sandbox, and whose it is. */
export type Waiting<Run> = { run: Run; user: string }

/** How many sandboxes there may be, and how many of them one user may hold. */
export type Share = { most: number; perUser: number }

/**
 * Which of the runs that wait, the longest waiting first, may have a sandbox now. Users take turns: each time it is the turn of
 * who holds the fewest, so that nobody gets a second one while somebody else waits for their first.
 */
export function runsWithRoom<Run>(
  waiting: readonly Waiting<Run>[],
  held: ReadonlyMap<string, number>,
  { most, perUser }: Share,
): Set<Run> {
  const holds = new Map(held)
  const left = [...waiting]
  const served = new Set<Run>()
  let free = most - [...held.values()].reduce((sum, count) => sum + count, 0)
  for (; free > 0; free--) {
    const next = left
      .filter(({ user }) => (holds.get(user) ?? 0) < perUser)
      .reduce<Waiting<Run> | null>((best, one) => (best && holdsOf(best) <= holdsOf(one) ? best : one), null)
    if (!next) break
    left.splice(left.indexOf(next), 1)
    holds.set(next.user, holdsOf(next) + 1)
    served.add(next.run)
  }
  return served

  function holdsOf({ user }: Waiting<Run>): number {
    return holds.get(user) ?? 0
  }
}

/** Whether a sandbox of this user that has nothing to do should go sooner, as a run waits that could have its place. */
export function isWaitedFor(
  user: string,
  waiting: readonly Waiting<unknown>[],
  held: ReadonlyMap<string, number>,
  { perUser }: Share,
): boolean {
  // Who holds their whole share waits for one of their own, and not for those of others.
  return waiting.some((one) => one.user === user || (held.get(one.user) ?? 0) < perUser)
}

/** How many sandboxes one user may hold: half of them where there are other users, so that these never wait for all. */
export const defaultShare = (most: number, users: number) =>
  users > 1 ? Math.max(1, Math.ceil(most / 2)) : most

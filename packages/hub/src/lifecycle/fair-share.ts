/** A run that waits for a sandbox, and its user. */
export type Waiting<Run> = { run: Run; user: string }

/** How many sandboxes there may be, and how many of them one user may hold. */
export type Share = { most: number; perUser: number }

/**
 * Which of the waiting runs, the longest waiting first, may have a sandbox now. Each free place goes to the user with the fewest
 * sandboxes, so that no user gets a second one while another user waits for the first.
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

/** Whether a waiting run could use the place of an idle sandbox of this user. */
export function isWaitedFor(
  user: string,
  waiting: readonly Waiting<unknown>[],
  held: ReadonlyMap<string, number>,
  { perUser }: Share,
): boolean {
  // A user who holds a whole share can only get a place from their own sandboxes.
  return waiting.some((one) => one.user === user || (held.get(one.user) ?? 0) < perUser)
}

/** How many sandboxes one user may hold by default: half of them if there are other users, otherwise all. */
export const defaultShare = (most: number, users: number) =>
  users > 1 ? Math.max(1, Math.ceil(most / 2)) : most

/** What has happened since the last checkpoint, or since there could be one. Times are of one clock, in ms. */
export type Since = {
  now: number
  /** When the last one was begun; null if the run has none. */
  lastAt: number | null
  /** When the first change was seen that no checkpoint has; null if there is none. */
  changedAt: number | null
  files: number
  bytes: number
  deleted: number
  /** There is a repository, or a commit in it, that no bundle has. */
  hasCommits: boolean
  /** The agent has just ended a turn, and what it did is whole. */
  isTurnOver: boolean
}

const minute = 60_000

export const pace = {
  everyMs: 10 * minute,
  /** What a turn has done is kept soon, but not once for each of many short ones. */
  turnMs: minute,
  /** However much happens. */
  atMostEveryMs: minute / 2,
  /** What comes in one go is one change. */
  settleMs: 5_000,
  files: 500,
  deleted: 100,
  bytes: 64 * 1024 * 1024,
} as const

/** How long until it is time for a checkpoint if nothing else happens: 0 for now, null while nothing has changed. */
export function msToCheckpoint(since: Since): number | null {
  const { now, lastAt, changedAt, files, bytes, deleted, hasCommits, isTurnOver } = since
  if (changedAt === null) return null
  const isMuch = files >= pace.files || deleted >= pace.deleted || bytes >= pace.bytes
  const from = lastAt ?? Number.NEGATIVE_INFINITY
  const due: number[] = [changedAt + pace.everyMs]
  if (isMuch || hasCommits) due.push(Math.max(changedAt + pace.settleMs, from + pace.atMostEveryMs))
  if (isTurnOver) due.push(from + pace.turnMs)
  return Math.max(0, Math.min(...due) - now)
}

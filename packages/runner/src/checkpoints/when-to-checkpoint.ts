/** What has happened since the last checkpoint, or since the start. Times are of one clock, in ms. */
export type Since = {
  now: number
  /** When the last checkpoint began; null if the run has none. */
  lastAt: number | null
  /** When the first unsaved change was seen; null if there is none. */
  changedAt: number | null
  files: number
  bytes: number
  deleted: number
  /** There is a repository or commit that is in no bundle. */
  hasCommits: boolean
  /** The agent has just ended a turn, so its changes are complete. */
  isTurnOver: boolean
}

const minute = 60_000

export const pace = {
  everyMs: 10 * minute,
  /** A turn is saved soon, but not once for each of many short ones. */
  turnMs: minute,
  /** The shortest time between two checkpoints. */
  atMostEveryMs: minute / 2,
  /** Waits for changes that belong together. */
  settleMs: 5_000,
  files: 500,
  deleted: 100,
  bytes: 64 * 1024 * 1024,
} as const

/** Milliseconds until the next checkpoint is due if nothing else happens: 0 for now, null if nothing has changed. */
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

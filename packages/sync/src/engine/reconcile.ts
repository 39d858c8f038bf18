import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'

export type Entry = FileEntry | null

/** One path in the three trees. */
export type Place = {
  disk: Entry
  log: Entry
  agreed: Entry
  /** What the log has held here since `agreed`, oldest first. */
  since: readonly Entry[]
  /** The user said that the log wins here, even if the disk wins elsewhere. */
  yields?: boolean
}

/** Whose change counts when both sides changed: a device's folder wins, a sandbox's does not. */
export type Wins = 'disk' | 'log'

/**
 * What to do about one path: nothing; note that both sides are the same; send what the disk has; or receive what the log
 * has, and if `keep`, only after what the disk has is stored at the hub.
 */
export type Step = { do: 'nothing' } | { do: 'agree' } | { do: 'send' } | { do: 'receive'; keep: boolean }

/** Decides what to do about one path (S2). `wouldCount` says whether the log would accept what the disk has (S3). */
export function reconcile(
  { disk, log, agreed, since, yields = false }: Place,
  wins: Wins,
  wouldCount: () => boolean,
): Step {
  // Once both are the same, the log does not have to win here any more.
  if (sameEntry(disk, log)) return { do: sameEntry(agreed, log) && !yields ? 'nothing' : 'agree' }
  // What the log has held since is not news from this disk: sending it would undo newer work.
  const isBehind = sameEntry(disk, agreed) || since.some((held) => sameEntry(held, disk))
  if (isBehind) return { do: 'receive', keep: false }
  const mayInsist = !yields && (wins === 'disk' || sameEntry(log, agreed))
  if (mayInsist && wouldCount()) return { do: 'send' }
  return { do: 'receive', keep: disk !== null }
}

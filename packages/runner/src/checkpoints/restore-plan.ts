import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'

/** A file of the log, and the event that last changed it. */
export type LogFile = { path: WorkspacePath; entry: FileEntry; eventId: number }

/** What is known about the tree of a base or checkpoint. */
export type KnownTree = {
  /**
   * For a checkpoint: it has what the log had at this event, except `missing`. For a base: 0, as it was never
   * compared with the log.
   */
  upTo: number
  missing: ReadonlySet<string>
  /** By path: its mode in the tree. */
  modes: ReadonlyMap<string, string>
}

export type FirstPlan = {
  /** To be checked out, and known to be as in the log. */
  put: LogFile[]
  /** To be checked out and then compared. */
  compare: LogFile[]
  /** Not in the tree as the log has them. */
  bring: LogFile[]
}

/** Which files to check out from a tree. Files that were deleted since, or never in the log, are left out. */
export function planToPut(files: Iterable<LogFile>, tree: KnownTree): FirstPlan {
  const plan: FirstPlan = { put: [], compare: [], bring: [] }
  for (const file of files) {
    const isKnown = file.eventId <= tree.upTo && !tree.missing.has(file.path)
    if (tree.modes.get(file.path) !== file.entry.mode) plan.bring.push(file)
    else if (isKnown) plan.put.push(file)
    // A checkpoint has an older version here, so comparing would hardly ever help.
    else if (tree.upTo === 0) plan.compare.push(file)
    else plan.bring.push(file)
  }
  return plan
}

export type Differs = { path: WorkspacePath; entry: FileEntry; found: FileEntry | null }

export type SecondPlan = {
  /** To be downloaded by the sync engine, with what is on the disk instead. */
  fetch: Differs[]
  /** The hub has lost their content; the tree has an older version. */
  asOnce: WorkspacePath[]
  /** The hub has lost their content, and no older version exists. */
  lost: LogFile[]
}

/** What to do with files that are not on disk as the log has them, given which blobs have expired (W25). */
export function planToBring(
  files: Iterable<{ file: LogFile; found: FileEntry | null }>,
  modes: KnownTree['modes'],
  isExpired: (hash: BlobHash) => boolean,
): SecondPlan {
  const plan: SecondPlan = { fetch: [], asOnce: [], lost: [] }
  for (const { file, found } of files) {
    if (found && sameEntry(found, file.entry)) continue
    if (!isExpired(file.entry.hash)) plan.fetch.push({ path: file.path, entry: file.entry, found })
    else if (modes.has(file.path)) plan.asOnce.push(file.path)
    else plan.lost.push(file)
  }
  return plan
}

import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'

/** A file that the log has, and the event it is from. */
export type LogFile = { path: WorkspacePath; entry: FileEntry; eventId: number }

/** What the tree of a base or checkpoint is known to be. */
export type KnownTree = {
  /** Of a checkpoint: it has what the log had then, but for `missing`. Of a base: 0, as nobody has compared. */
  upTo: number
  missing: ReadonlySet<string>
  /** The mode of each path that it has. */
  modes: ReadonlyMap<string, string>
}

export type FirstPlan = {
  /** To be put back, and known to be what the log has. */
  put: LogFile[]
  /** To be put back and compared. */
  compare: LogFile[]
  /** Of which the tree has nothing that could be it. */
  bring: LogFile[]
}

/** What of a tree is put back. What was deleted since, or was never in the log, is not. */
export function planToPut(files: Iterable<LogFile>, tree: KnownTree): FirstPlan {
  const plan: FirstPlan = { put: [], compare: [], bring: [] }
  for (const file of files) {
    const isKnown = file.eventId <= tree.upTo && !tree.missing.has(file.path)
    if (tree.modes.get(file.path) !== file.entry.mode) plan.bring.push(file)
    else if (isKnown) plan.put.push(file)
    // A checkpoint has an older version: to compare it would nearly always be for nothing.
    else if (tree.upTo === 0) plan.compare.push(file)
    else plan.bring.push(file)
  }
  return plan
}

export type SecondPlan = {
  /** To be fetched, with what is there instead. */
  fetch: { path: WorkspacePath; entry: FileEntry; found: FileEntry | null }[]
  /** The hub has lost them; the tree has them as they once were. */
  asOnce: WorkspacePath[]
  /** The hub has lost them, and nobody else has them. */
  lost: LogFile[]
}

/** What becomes of files that are not there as the log has them, given which blobs have expired (W25). */
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

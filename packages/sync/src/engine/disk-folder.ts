import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'

/** One path as the disk had it at some moment: an entry, or null for no file there (S1). */
export type Seen = {
  path: WorkspacePath
  entry: FileEntry | null
  size: number
  /** The bytes that `entry` names, while they are at hand: small files come with them, large ones never do. */
  content?: Uint8Array
}

/** Why something on the disk is not synced (S9, S10, S13). `path` is as it is called on the disk. */
export type Skip = {
  path: string
  why: SkipReason
  size?: number
  /** It has outgrown the limit, and what was last seen of it is only its beginning. */
  grew?: true
}
export type SkipReason =
  | 'ignored'
  | 'too-large'
  | 'unreadable'
  | 'special'
  | 'bad-name'
  | 'clash'
  | 'in-the-way'
  /** A hub keeps its data here. */
  | 'hub-data'
  /** A rule that came from the run would include it: it waits for the user's consent. */
  | 'newly-included'
  /** It looks as if it held a secret: it waits for the user's consent. */
  | 'looks-secret'
  /** It would make a folder pass for a git repository, or is in one that does. */
  | 'repository'

/** What has changed on the disk since the last report. Only the newest report about a path counts. */
export type DiskReport = {
  seen: Seen[]
  /** Paths that are not, or no longer, synced: they were not deleted (S13). */
  skipped: Skip[]
  /** Versions that a program wrote while we replaced their file: no longer in the folder, and not to be lost (S4). */
  rescued?: Rescued[]
  /** Set once everything that is there has been reported since the start. */
  scanned: boolean
  /** While the first scan goes on: how far it is. */
  found: { files: number; bytes: number }
  /** The position of the folder's own git: another value means that HEAD or the stash moved (S14); null without git. */
  position: string | null
  /** The folder itself is missing, or is another one than at the start (S13). */
  root?: 'missing' | 'replaced'
  /** Changes are found by scanning alone, and why; for example that the system allows no more watches. */
  blind?: string
}

export type Rescued = {
  /** By which it is released once the log has it. */
  id: string
  path: WorkspacePath
  entry: FileEntry
  size: number
  /** Its bytes; a large one has them on the disk alone, and `openRescued` opens it. */
  content?: Uint8Array
}

/** A file as folder and run last had it in common. */
export type AgreedFile = { path: WorkspacePath; entry: FileEntry }

/** A path to be changed from what the disk was last seen to hold to something else. */
export type Change = {
  path: WorkspacePath
  /** What is overwritten. If the disk holds something else by now, the path is left alone (S6). */
  from: FileEntry | null
  to: FileEntry | null
  size: number
  /** The bytes that `to` names, or where they were staged. Neither is needed for a deletion. */
  content?: Uint8Array
  staged?: Staged
}

/** Bytes that wait on the folder's own file system to be given their name. */
export type Staged = { name: string }

/**
 * The result: done; changed, because the disk holds something else by now, and a report says what, even if it was reported
 * before; skipped, because this path must not be written (for `in-the-way` a report follows once that has gone); failed,
 * and may be tried again.
 */
export type Changed =
  | { is: 'done' }
  | { is: 'changed' }
  | { is: 'skipped'; why: SkipReason }
  | { is: 'failed'; why: string; code?: string }

/** What a path is now: an entry, or skipped. */
export type Looked = Seen | Skip

/** A patch, and what comes of it if it is the right one. */
export type PatchToMake = { hash: BlobHash; size: number; patch: Uint8Array }

/**
 * One side of the sync: a folder on a disk. Its reports may be out of date when they arrive; only `apply`
 * checks at the moment of writing. Reports and answers arrive in the order in which things happened: a report from before a
 * file was written must not arrive after the answer that it was.
 */
export interface DiskFolder {
  /** What an earlier process wrote into the folder before it could save that: these paths hold these entries because of us. */
  leftBehind(): Promise<{ path: WorkspacePath; entry: FileEntry | null }[]>
  /** The next report, as soon as there is one. The call also says that the report before has been handled. */
  next(signal: AbortSignal): Promise<DiskReport>
  /** What these paths are at this moment. */
  look(paths: readonly WorkspacePath[]): Promise<Looked[]>
  /** Resolves when every change made in the folder before this call has been reported and handled. */
  quiet?(): Promise<void>
  /** The bytes of a file, if it still is this entry; null if it has changed, and then a report follows. */
  open(path: WorkspacePath, entry: FileEntry): Promise<Blob | Uint8Array | null>
  /**
   * What makes this entry of an older one (W35), for large files that were read in this process; null if that is not known,
   * or would be no shorter. Nothing of it is verified.
   */
  patch?(path: WorkspacePath, entry: FileEntry, base: BlobHash): Promise<Uint8Array | null>
  /** Stages what a patch makes of the file at this path, verified; null if the result has another hash. */
  stagePatched?(path: WorkspacePath, made: PatchToMake): Promise<Staged | null>
  /** Puts bytes where `apply` can give them a name. They must have been found to hash to it. */
  stage(bytes: AsyncIterable<Uint8Array>): Promise<Staged>
  /** Deletes staged bytes that are not needed any more. */
  dropStaged(staged: Staged): void
  /**
   * Changes files, each one atomically or not at all; deletions first. One answer each, in the order asked. What was
   * staged for them is used up, however it goes.
   */
  apply(changes: readonly Change[]): Promise<Changed[]>
  /**
   * Says that the results of the first so many calls of `apply` are saved, and those of `leftBehind`: they need not be
   * reported again.
   */
  settled(applies: number): void
  /** The bytes of a large version that was rescued; null if it is gone. */
  openRescued(id: string): Promise<Blob | null>
  /** Says that rescued versions are in the log: they can be deleted. */
  release(ids: readonly string[]): void
  /**
   * Holds back files that look as if they held secrets, until the user allows them. Answers which of them are held back:
   * not those that git tracks, or that were allowed before.
   */
  withhold(paths: readonly WorkspacePath[]): Promise<WorkspacePath[]>
  /**
   * These were in the run, with these entries, before a rule left them out for a while. Those that are still so need no
   * consent, and a report follows. Answers which are not: what was written since then waits.
   */
  readmit(agreed: readonly AgreedFile[]): Promise<WorkspacePath[]>
  /** Files over this size are skipped from now on (S9). */
  limitSize(bytes: number): void
  close(): Promise<void>
}

import type { Witness } from '@farhand/client/follow/witness'
import type { TreeRow } from '@farhand/protocol/files/workspace-tree'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'

/** A path where the agreed entry is not what the log says now. */
export type UnsettledRow = {
  path: WorkspacePath
  agreed: FileEntry | null
  /** What the log has held here since, oldest first; the last is what it says now. */
  since: (FileEntry | null)[]
  /** The user said that the log wins here, even if the disk wins elsewhere. */
  yields?: true
}

/** Disk and log have this in common here since the log was at event `at`. */
export type Agreement = { path: WorkspacePath; entry: FileEntry | null; at: number }

/** Everything a folder has to remember of its run: the fold up to an event, and what was agreed. */
export type Remembered = {
  cursor: number
  /** To be read once: there may be many of them. */
  tree: Iterable<TreeRow>
  unsettled: UnsettledRow[]
  /** The files that the run began with and the log does not name. */
  base: { path: WorkspacePath; entry: FileEntry }[]
  /** The position of the folder's own git when its changes were last sent. */
  position: string | null
  /** The size limit for files that the log set last (S9). */
  maxFileBytes: number | null
  /** The newest event that was read: whether the log still has it tells whether it is still the same log. */
  witness?: Witness | null
  /** Agreements newer than the rest of this, in the order they were noted. */
  agreements: Agreement[]
}

/**
 * What a folder remembers from one process to the next. A process that is killed loses nothing that was noted; after a power
 * loss the newest notes may be missing, never older ones without the newer ones.
 */
export interface Memory {
  /** Null if there is nothing to remember: this folder was never attached to this run. */
  load(): Promise<Remembered | null>
  /** Adds to what is remembered. When this returns, SIGKILL cannot take it back. */
  note(what: { agreements?: readonly Agreement[]; position?: string | null; witness?: Witness | null }): void
  /** Replaces what is remembered; a crash meanwhile leaves either the old or the new, with every note. */
  save(whole: Omit<Remembered, 'agreements'>): Promise<void>
}

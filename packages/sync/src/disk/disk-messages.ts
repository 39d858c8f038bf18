import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { AgreedFile, Changed, Looked, PatchToMake, Staged } from '../engine/disk-folder.ts'
import type { PackedChanges } from './packed-changes.ts'
import type { FolderWatcherOptions, PackedReport } from './watch/folder-watcher.ts'

/** The first message to the disk's thread. */
export type DiskStart = FolderWatcherOptions & {
  /** Whether this process has had a thread for this folder before, which was ended and may have left its lock. */
  isOwnLockDead?: boolean
}

/** The bytes themselves, or where they are if they are many; null if the file is not this entry any more. */
export type Opened = { content: Uint8Array } | { place: string } | null

/** All changes were done except for `others`. `after` has for each how many reports had been sent when it was written. */
export type PackedChanged = { others: [at: number, changed: Changed][]; after: Uint32Array }

/** What can be asked of the disk's thread, and what it answers. */
export type DiskRequests = {
  leftBehind: { ask: null; answer: { path: WorkspacePath; entry: FileEntry | null }[] }
  quiet: { ask: null; answer: null }
  look: { ask: readonly WorkspacePath[]; answer: Looked[] }
  withhold: { ask: readonly WorkspacePath[]; answer: WorkspacePath[] }
  readmit: { ask: readonly AgreedFile[]; answer: WorkspacePath[] }
  open: { ask: { path: WorkspacePath; entry: FileEntry }; answer: Opened }
  patch: { ask: { path: WorkspacePath; entry: FileEntry; base: BlobHash }; answer: Uint8Array | null }
  stagePatched: { ask: PatchToMake & { path: WorkspacePath }; answer: Staged | null }
  apply: { ask: PackedChanges; answer: PackedChanged }
  openStaged: { ask: null; answer: Staged }
  stageChunk: { ask: { staged: Staged; chunk: Uint8Array }; answer: null }
  closeStaged: { ask: Staged; answer: null }
  dropStaged: { ask: Staged; answer: null }
  rest: { ask: null; answer: null }
  close: { ask: null; answer: null }
}
export type DiskRequestName = keyof DiskRequests

export type ToDisk =
  | { is: 'ask'; id: number; what: DiskRequestName; value: unknown }
  | { is: 'report-handled' }
  | { is: 'recheck'; path: WorkspacePath }
  | { is: 'settled'; applies: number }
  | { is: 'release'; ids: string[] }
  | { is: 'limit-size'; bytes: number }

export type FromDisk =
  | { is: 'ready' }
  | { is: 'report'; report: PackedReport }
  | { is: 'answer'; id: number; value: unknown }
  | { is: 'failed'; id: number | null; message: string; code?: string; pid?: number }

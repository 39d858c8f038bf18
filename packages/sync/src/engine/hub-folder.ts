import type { Witness } from '@farhand/client/follow/witness'
import type { FileEntry, KeptWhy } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { SeenAuthor, SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'

/** The bytes of something to send: in memory, or to be opened; null when the file has changed or gone meanwhile. */
export type Content = Uint8Array | (() => Promise<Blob | Uint8Array | null>)

/** One path as it shall be in the log. Without content the hub is believed to have the bytes. */
export type Outgoing = {
  path: WorkspacePath
  entry: FileEntry | null
  was: FileEntry | null
  size: number
  content?: Content
  /** A patch from the version before, if that is short. */
  patch?: () => Promise<Uint8Array | null>
  onBytes?: OnBytes
}

/** A version that is about to be overwritten here and that the hub has never seen (S4). */
export type VersionToKeep = {
  path: WorkspacePath
  entry: FileEntry
  size: number
  content: Content
  why: KeptWhy
  onBytes?: OnBytes
}

/** Told how many bytes of a large content have left: from the first again, when it has to be sent again. */
export type OnBytes = (bytes: number) => void

export type Sent = {
  /** The last event this became; everything is in the log once a reader has come this far. */
  lastId: number
  /** The event that each change became, without those that were left out. */
  ids: ReadonlyMap<Outgoing | VersionToKeep, number>
  /** What was left out because its bytes were not there any more. */
  dropped: WorkspacePath[]
  /** What was left out because neither the hub has its bytes nor were they sent along. */
  needed: WorkspacePath[]
}

export type Connection =
  | { is: 'connecting' }
  | { is: 'live' }
  /** `listening` if the log is read again, and only what failed before that still waits for its next try. */
  | { is: 'offline'; why: string; retryAt: number | null; listening?: boolean }

/** The other side of the sync: the run's log and the blobs it names, as one writer sees them. */
export interface HubFolder {
  /** The author that the log will name for what is sent here. */
  readonly author: SeenAuthor
  /** Whether an event was written by this folder, now or in an earlier process. */
  isOurs(by: SeenAuthor): boolean
  /**
   * Every event after this one, in order, in as few portions as they arrived in; `live` when caught up. Ends with the
   * run. Throws SyncStopped if the log is another one than that of the witness, or becomes another one.
   */
  follow(
    after: number,
    signal: AbortSignal,
    witness?: Witness | null,
  ): AsyncIterable<{ events: SeenEvent[]; live: boolean }>
  /**
   * Stores bytes, then the events that name them (S5), each once however often the connection breaks. Waits as long
   * as it takes; throws what waiting would not change.
   */
  send(
    what: { changes: readonly Outgoing[]; kept: readonly VersionToKeep[] },
    signal: AbortSignal,
  ): Promise<Sent>
  /**
   * Blobs that fit into memory, many in one request, in no promised order; those the hub lacks are left out. Their
   * hashes are not verified: `DiskFolder.apply` does that.
   */
  fetch(
    wanted: readonly { hash: BlobHash; size: number }[],
    signal: AbortSignal,
  ): AsyncIterable<{ hash: BlobHash; bytes: Uint8Array }>
  /** What makes a blob of one that is here (W35), if the hub knows. Nothing of it is verified. */
  patch?(made: { hash: BlobHash; base: BlobHash }, signal: AbortSignal): Promise<Uint8Array | null>
  /** One blob of any size, as it arrives. Only when it ends without throwing were they the right bytes. */
  download(hash: BlobHash, signal: AbortSignal): AsyncIterable<Uint8Array>
}

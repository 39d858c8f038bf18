import type { Readable } from 'node:stream'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Patch } from '@farhand/protocol/wire/patch'
import type { Remember } from './packed-blobs.ts'
import type { ReceivedBlobs } from './received-blobs.ts'

/** A parsed patch, with its original bytes. */
export type SentPatch = Patch & { bytes: Uint8Array }

/**
 * Bytes named by their SHA-256. It knows no projects: which project may read a blob is in the relational store.
 */
export interface BlobStore {
  /**
   * Stores the bytes durably under their name, or throws `blob.mismatch` and leaves nothing behind.
   * Storing what is already there reads the bytes, checks them and changes nothing, unless what is there is damaged.
   * A caller that records the blob elsewhere does it in `remember`: no `remove` can happen in between.
   */
  put(
    hash: BlobHash,
    bytes: AsyncIterable<Uint8Array>,
    remember?: (size: number) => Promise<void>,
  ): Promise<{ size: number }>
  /**
   * As `put`, for a blob sent as a patch of another one (W35). Throws `blob.unknown` if its base does not exist or is packed,
   * `request.malformed` if the patch reads beyond the end of the base, and `hub.busy` if too many patches wait already.
   */
  putPatched(
    hash: BlobHash,
    patch: SentPatch,
    remember?: (size: number) => Promise<void>,
  ): Promise<{ size: number }>
  /** The patch that made this blob from that base, or null. Its bytes are not checked again, so the receiver must check the result. */
  patchOf(hash: BlobHash, base: BlobHash): Promise<Uint8Array | null>
  /**
   * As `put`, for small blobs that came together: they share one wait for the disk. A packed blob exists as long as `remember` has
   * recorded it with its place. If one of them does not match its hash, none is recorded. The owner is stored beside the bytes
   * until it is recorded.
   */
  putAll(blobs: ReceivedBlobs, owner: string, remember: Remember): Promise<void>
  /** The size, or null if it does not exist. */
  size(hash: BlobHash): Promise<number | null>
  /**
   * Those that a project has but whose bytes are incomplete or damaged, judged by their sizes and by earlier reads. Storing them again
   * repairs them.
   */
  damaged(hashes: readonly BlobHash[]): Promise<BlobHash[]>
  /** When its bytes were stored, or null if it does not exist or is packed. */
  storedAt(hash: BlobHash): Promise<Date | null>
  /** The blobs whose hex names begin with these two digits, except packed ones, which a crash cannot turn into orphans. */
  list(digits: string): Promise<BlobHash[]>
  /**
   * The bytes from `start` to the end; throws `blob.unknown`, also if they are damaged. The size is checked each time, the hash if the
   * last check was long ago.
   */
  get(hash: BlobHash, start?: number): Promise<{ size: number; bytes: Readable }>
  /**
   * Runs `forget` and, if that returns true, moves the bytes to the trash for a while. No `put` of the same blob can happen in between.
   * Does nothing while a `put` of it is in progress.
   */
  remove(hash: BlobHash, forget: () => Promise<boolean>): Promise<void>
  /**
   * The blobs as records of a pack, in the given order. Blobs that do not exist or are not in `mayRead` are sent as missing.
   */
  records(hashes: readonly BlobHash[], mayRead: ReadonlySet<BlobHash>): AsyncIterable<Uint8Array>
  /** Frees the space of packed blobs that no project has any more; returns how many segments were removed. */
  tidy(signal?: AbortSignal): Promise<{ removed: number }>
  /** Deletes bytes that have been in the trash for long enough; returns how many blobs were deleted. */
  emptyTrash(now: Date): Promise<number>
  /** Waits for work in progress and closes all files. */
  close(): Promise<void>
}

import type { Readable } from 'node:stream'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Patch } from '@farhand/protocol/wire/patch'
import type { Remember } from './packed-blobs.ts'
import type { ReceivedBlobs } from './received-blobs.ts'

/** A patch that was taken apart, and the bytes that it came as. */
export type SentPatch = Patch & { bytes: Uint8Array }

/**
 * Bytes named by their SHA-256. It knows no projects: who may read what is the relational store's business.
 */
export interface BlobStore {
  /**
   * Stores the bytes durably under their name, or throws `blob.mismatch` and leaves nothing behind.
   * Storing what is already there reads the bytes, checks them and changes nothing, unless what is there is damaged.
   * Whoever must write down that the blob is there does it in `remember`: no `remove` can come in between.
   */
  put(
    hash: BlobHash,
    bytes: AsyncIterable<Uint8Array>,
    remember?: (size: number) => Promise<void>,
  ): Promise<{ size: number }>
  /**
   * As `put`, for a blob that is said as a patch of another one (W35). Throws `blob.unknown` if its base is not there,
   * or lies among the packed ones, `request.malformed` if it takes more from the base than that has, and `hub.busy` if
   * too many wait already.
   */
  putPatched(
    hash: BlobHash,
    patch: SentPatch,
    remember?: (size: number) => Promise<void>,
  ): Promise<{ size: number }>
  /** The patch that made this blob of that base, if there was one. Nobody has looked at its bytes since. */
  patchOf(hash: BlobHash, base: BlobHash): Promise<Uint8Array | null>
  /**
   * As `put`, for small blobs that came together: they share the waiting for the disk. A packed blob is there once it
   * is remembered with its place, and no longer than that; nothing of them is remembered if one is not what it is
   * called. Whose they are is kept beside them until that is written down.
   */
  putAll(blobs: ReceivedBlobs, owner: string, remember: Remember): Promise<void>
  /** The size, or null if it is not there. */
  size(hash: BlobHash): Promise<number | null>
  /**
   * Those of them that somebody has and whose bytes are not all there, as far as their sizes tell and as readers found: to
   * store them again heals them.
   */
  damaged(hashes: readonly BlobHash[]): Promise<BlobHash[]>
  /** When its bytes were stored, or null if it is not there, or not in a file of its own. */
  storedAt(hash: BlobHash): Promise<Date | null>
  /** The blobs whose hex names begin with these two digits, without the packed ones: no crash can make orphans of them. */
  list(digits: string): Promise<BlobHash[]>
  /**
   * The bytes, from `start` to the end; throws `blob.unknown`, also if they are damaged. Their size is looked at each time, and
   * they are hashed if that was not done for long.
   */
  get(hash: BlobHash, start?: number): Promise<{ size: number; bytes: Readable }>
  /**
   * Runs `forget` and, if it says so, takes the bytes away and sets them aside for a while; no `put` of the same blob can come in between. While a `put`
   * of it is under way it does nothing.
   */
  remove(hash: BlobHash, forget: () => Promise<boolean>): Promise<void>
  /**
   * The blobs as records of a pack, in the order asked. Those that are not there, or not among those that `mayRead`
   * has, are said to be missing.
   */
  records(hashes: readonly BlobHash[], mayRead: ReadonlySet<BlobHash>): AsyncIterable<Uint8Array>
  /** Gives back the space of packed blobs that were forgotten; says how many segments are gone. */
  tidy(signal?: AbortSignal): Promise<{ removed: number }>
  /** Deletes bytes that were removed a while ago: until then they are set aside. Says how many are gone. */
  emptyTrash(now: Date): Promise<number>
  /** Waits for what is under way and lets go of all files. */
  close(): Promise<void>
}

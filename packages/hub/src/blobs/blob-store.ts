import type { Readable } from 'node:stream'
import type { BlobHash } from '@farhand/protocol/blob-hash'

/**
 * Bytes named by their SHA-256. It knows no projects: who may read what is the relational store's business.
 */
export interface BlobStore {
  /**
   * Stores the bytes durably under their name, or throws `blob.mismatch` and leaves nothing behind.
   * Storing what is already there reads the bytes, checks them and changes nothing.
   * Whoever must write down that the blob is there does it in `remember`: no `remove` can come in between.
   */
  put(
    hash: BlobHash,
    bytes: AsyncIterable<Uint8Array>,
    remember?: (size: number) => Promise<void>,
  ): Promise<{ size: number }>
  /** The size, or null if it is not there. */
  size(hash: BlobHash): Promise<number | null>
  /** When its bytes were stored, or null if it is not there. */
  storedAt(hash: BlobHash): Promise<Date | null>
  /** The blobs whose hex names begin with these two digits. */
  list(digits: string): Promise<BlobHash[]>
  /** The bytes, from `start` to the end; throws `blob.unknown`. */
  get(hash: BlobHash, start?: number): Promise<{ size: number; bytes: Readable }>
  /**
   * Runs `forget` and deletes the bytes if it says so; no `put` of the same blob can come in between. While a `put`
   * of it is under way it does nothing.
   */
  remove(hash: BlobHash, forget: () => Promise<boolean>): Promise<void>
}

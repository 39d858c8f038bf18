import type { BlobHash } from '@farhand/protocol/wire/blob-hash'

/** The segment of a blob, and where its bytes begin there. */
export type Place = { segment: number; start: number }

/** A blob that a project has. Without a place it is in a separate file. */
export type Found = { size: number; place: Place | null }

/** Blobs found in a segment after the place up to which the index is settled, with their note. */
export type Recovered = {
  /** Null: they were moved here from another segment, and their owners are known already. */
  owner: string | null
  at: Date
  blobs: { hash: BlobHash; size: number; place: Place }[]
}

/**
 * The places of packed blobs. It has exactly the blobs that projects have: bytes in a segment that are not listed here are unused. The
 * same blob may be in two places, when two clients sent it at once or one sent it again later.
 *
 * The index may be written a little later than the segments. When it is opened, everything after its settled place is given back to it
 * with `recover`.
 */
export interface PackIndex {
  /** `asWritten`: read the table, not the cache; for callers that did not find the blob at its place. */
  find(hashes: readonly BlobHash[], options?: { asWritten: true }): Promise<Map<BlobHash, Found>>
  /** Those of these blobs that are in the cache. */
  remembered(hashes: readonly BlobHash[]): Map<BlobHash, Found>
  /** How many bytes of a segment are in use. */
  usedBytes(segment: number): Promise<number>
  /** The blobs in use in a segment, in the order of their places. */
  used(segment: number): Promise<{ hash: BlobHash; start: number; size: number }[]>
  /** Records new places for these blobs, for all of them or none. Their bytes must be durable there. */
  move(from: number, moved: readonly { hash: BlobHash; to: Place }[]): Promise<void>
  /** Records new places for these blobs in all projects, as their former bytes are damaged. Null: in a separate file. */
  placeAnew(healed: readonly { hash: BlobHash; to: Place | null }[]): Promise<void>
  /** The highest segment with a known blob, or 0. */
  lastSegment(): Promise<number>
  /** Up to this place the index is complete; null if that was never recorded. */
  settledUpTo(): Promise<Place | null>
  /** Adds blobs that were not recorded yet; from now on the index is settled up to here. */
  recover(blobs: readonly Recovered[], upTo: Place): Promise<void>
  /** Writes to the tables what is only in the cache so far. */
  settle(): Promise<void>
}

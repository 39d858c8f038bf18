import type { BlobHash } from '@farhand/protocol/wire/blob-hash'

/** Where the bytes of a blob begin, in which segment. */
export type Place = { segment: number; start: number }

/** A blob that somebody has. Without a place it lies in a file of its own. */
export type Found = { size: number; place: Place | null }

/** Blobs found in a segment behind what the index has settled, and what stands there about them. */
export type Recovered = {
  /** Null: they were moved here from another segment, and who has them was known then. */
  owner: string | null
  at: Date
  blobs: { hash: BlobHash; size: number; place: Place }[]
}

/**
 * Who knows where packed blobs lie. It holds exactly the blobs that somebody has: what is in a segment and not here is
 * of no use to anyone. The same blob may lie in two places: when two brought it at once, or one again after a while.
 *
 * It may be a little behind its own disk: whatever was appended after the place it says is settled, and was said to
 * be known, has to be given back to it when it is opened.
 */
export interface PackIndex {
  /** `asWritten` is for those who found something else than they were told to find. */
  find(hashes: readonly BlobHash[], options?: { asWritten: true }): Promise<Map<BlobHash, Found>>
  /** Those of them that can be told without looking them up. */
  remembered(hashes: readonly BlobHash[]): Map<BlobHash, Found>
  /** How many bytes of a segment somebody has. */
  usedBytes(segment: number): Promise<number>
  /** All of these, in the order in which they lie there. */
  used(segment: number): Promise<{ hash: BlobHash; start: number; size: number }[]>
  /** Says that these are somewhere else now, all of them or none. Only for bytes that are durable there. */
  move(from: number, moved: readonly { hash: BlobHash; to: Place }[]): Promise<void>
  /** Says where these are now, whoever has them and wherever they were: what was there is damaged. */
  placeAnew(healed: readonly { hash: BlobHash; to: Place | null }[]): Promise<void>
  /** The highest segment in which anything lies, or 0. */
  lastSegment(): Promise<number>
  /** Up to where it knows everything there is to know, or null if it never said so. */
  settledUpTo(): Promise<Place | null>
  /** Takes back what it had not written down, and from now on is settled up to here. */
  recover(blobs: readonly Recovered[], upTo: Place): Promise<void>
  /** Writes down what it only remembers so far. */
  settle(): Promise<void>
}

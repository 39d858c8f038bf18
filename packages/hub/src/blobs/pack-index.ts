import type { BlobHash } from '@farhand/protocol/blob-hash'

/** Where the bytes of a blob begin, in which segment. */
export type Place = { segment: number; start: number }

/** A blob that somebody has. Without a place it lies in a file of its own. */
export type Found = { size: number; place: Place | null }

/**
 * Who knows where packed blobs lie. It holds exactly the blobs that somebody has: what is in a segment and not here is
 * of no use to anyone. The same blob may lie in two places, when two brought it at once.
 */
export interface PackIndex {
  find(hashes: readonly BlobHash[]): Promise<Map<BlobHash, Found>>
  /** How many bytes of a segment somebody has. */
  usedBytes(segment: number): Promise<number>
  /** All of these, in the order in which they lie there. */
  used(segment: number): Promise<{ hash: BlobHash; start: number; size: number }[]>
  /** Says that these are somewhere else now, all of them or none. Only for bytes that are durable there. */
  move(from: number, moved: readonly { hash: BlobHash; to: Place }[]): Promise<void>
  /** The highest segment in which anything lies, or 0. */
  lastSegment(): Promise<number>
}

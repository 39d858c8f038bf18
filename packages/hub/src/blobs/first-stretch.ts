import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { blobHeadBytes } from '@farhand/protocol/wire/pack'
import type { Found } from './pack-index.ts'

/** Records that follow each other in a segment: how many, and the bytes they take, heads included. */
export type Stretch = { segment: number; start: number; bytes: number; count: number }

/** The longest stretch that holds the first of the blobs asked for and then as many of the next as follow it. */
export function firstStretch(
  hashes: readonly BlobHash[],
  found: ReadonlyMap<BlobHash, Found>,
  mostBytes: number,
  from = 0,
): Stretch | null {
  let stretch: Stretch | null = null
  for (let at = from; at < hashes.length; at++) {
    const blob = found.get(hashes[at]!)
    if (!blob?.place) break
    const start = blob.place.start - blobHeadBytes
    const bytes = blobHeadBytes + blob.size
    if (!stretch) {
      stretch = { segment: blob.place.segment, start, bytes, count: 1 }
      continue
    }
    const follows = blob.place.segment === stretch.segment && start === stretch.start + stretch.bytes
    if (!follows || stretch.bytes + bytes > mostBytes) break
    stretch.bytes += bytes
    stretch.count++
  }
  return stretch
}

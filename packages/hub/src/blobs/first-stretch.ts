import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { blobHeadBytes } from '@farhand/protocol/wire/pack'
import type { Found } from './pack-index.ts'

/** Adjacent records in a segment: their number, and their bytes including heads. */
export type Stretch = { segment: number; start: number; bytes: number; count: number }

/** The longest stretch that starts with the first requested blob and continues with the next ones in the same order. */
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

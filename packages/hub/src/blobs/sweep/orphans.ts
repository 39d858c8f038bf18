import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { BlobStore } from '../blob-store.ts'

export type OrphanParts = {
  blobs: BlobStore
  /** Those of these blobs that no project has. */
  unknown(hashes: readonly BlobHash[]): Promise<BlobHash[]>
}

// An additional safety margin: blobs that were stored recently are not checked.
const youngMs = 60 * 60 * 1000

/**
 * Removes blobs that no project has, among those whose names begin with these digits, and returns how many. They exist when a hub was
 * killed between storing a blob and recording it, or between deleting the record and the bytes.
 */
export async function removeOrphans(
  { blobs, unknown }: OrphanParts,
  digits: string,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0
  for (const hash of await unknown(await blobs.list(digits))) {
    if (signal?.aborted) break
    const storedAt = await blobs.storedAt(hash)
    if (!storedAt || now.getTime() - storedAt.getTime() < youngMs) continue
    // Checked again: a client may have stored it since.
    await blobs.remove(hash, async () => {
      const isOrphan = (await unknown([hash])).length > 0
      if (isOrphan) removed++
      return isOrphan
    })
  }
  return removed
}

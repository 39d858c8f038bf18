import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { BlobStore } from '../blob-store.ts'

export type OrphanParts = {
  blobs: BlobStore
  /** Those that no project has. */
  unknown(hashes: readonly BlobHash[]): Promise<BlobHash[]>
}

// Nothing here depends on it but peace of mind: what was stored just now is not looked at.
const youngMs = 60 * 60 * 1000

/**
 * Removes bytes that no project has, and says how many: a hub was killed between storing them and writing that down,
 * or between forgetting them and deleting them. Looks at the blobs whose names begin with these digits.
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
    // Asked again: somebody may have stored it since.
    await blobs.remove(hash, async () => {
      const isOrphan = (await unknown([hash])).length > 0
      if (isOrphan) removed++
      return isOrphan
    })
  }
  return removed
}

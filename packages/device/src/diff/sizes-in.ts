import type { FileVersions } from '@farhand/protocol/files/file-versions'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'

/** Looks up the sizes of contents that the log of the run names. */
export function sizesIn(
  versions: Pick<FileVersions, 'paths' | 'of'>,
): (hash: BlobHash) => number | undefined {
  const sizes = new Map<string, number>()
  for (const path of versions.paths())
    for (const { entry, size } of versions.of(path)) if (entry && size !== null) sizes.set(entry.hash, size)
  return (hash) => sizes.get(hash)
}

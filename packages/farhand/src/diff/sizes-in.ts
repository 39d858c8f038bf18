import type { FileVersions } from '@farhand/protocol/files/file-versions'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'

/** How large contents of a run are, as far as its log says so. */
export function sizesIn(
  versions: Pick<FileVersions, 'paths' | 'of'>,
): (hash: BlobHash) => number | undefined {
  const sizes = new Map<string, number>()
  for (const path of versions.paths())
    for (const { entry, size } of versions.of(path)) if (entry && size !== null) sizes.set(entry.hash, size)
  return (hash) => sizes.get(hash)
}

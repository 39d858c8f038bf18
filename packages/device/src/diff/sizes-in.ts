import type { FileVersions, Version } from '@farhand/protocol/files/file-versions'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'

/** Looks up the sizes of contents that these versions have. */
export function sizesOf(versions: readonly Version[]): (hash: BlobHash) => number | undefined {
  const sizes = new Map<string, number>()
  for (const { entry, size } of versions) if (entry && size !== null) sizes.set(entry.hash, size)
  return (hash) => sizes.get(hash)
}

/** Looks up the sizes of contents that the log of the run names. */
export const sizesIn = (versions: Pick<FileVersions, 'paths' | 'of'>) =>
  sizesOf([...versions.paths()].flatMap((path) => versions.of(path)))

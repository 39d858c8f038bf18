import { createHash, hash } from 'node:crypto'
import { closeSync, lstatSync, openSync, readFileSync, readlinkSync, readSync, type Stats } from 'node:fs'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'

/** The mode of what is at a place, of which only this much is synced. */
export const modeOf = (stats: Stats): FileEntry['mode'] =>
  stats.isSymbolicLink() ? '120000' : stats.mode & 0o100 ? '100755' : '100644'

/** The entry at this place, of any size; null for what is neither file nor link, or cannot be read. */
export function entryAt(file: string): FileEntry | null {
  try {
    const stats = lstatSync(file)
    if (stats.isSymbolicLink()) return { mode: '120000', hash: hashOf(readlinkSync(file, 'buffer')) }
    return stats.isFile() ? { mode: modeOf(stats), hash: hashOfFile(file, stats.size) } : null
  } catch {
    return null
  }
}

/** The name of a blob with these bytes. */
export const hashOf = (bytes: Uint8Array) => `sha256_${hash('sha256', bytes)}` as BlobHash

const pieceBytes = 1024 * 1024

/** The same for a file, piece by piece if it is large. Throws errors of the system. */
export function hashOfFile(file: string, size: number): BlobHash {
  if (size <= pieceBytes) return hashOf(readFileSync(file))
  const sha = createHash('sha256')
  const piece = Buffer.allocUnsafe(pieceBytes)
  const handle = openSync(file, 'r')
  try {
    for (let read = readSync(handle, piece); read > 0; read = readSync(handle, piece)) {
      sha.update(piece.subarray(0, read))
    }
  } finally {
    closeSync(handle)
  }
  return `sha256_${sha.digest('hex')}` as BlobHash
}

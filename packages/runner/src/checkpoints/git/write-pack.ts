import { chmodSync, renameSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { CheckpointRepository } from './checkpoint-repository.ts'

const shaBytes = 20
const leastIndexBytes = 8 + 256 * 4 + 2 * shaBytes
const magic = Buffer.from('ff744f6300000002', 'hex')

/**
 * Whether this is the index of the pack with this checksum. The index itself is not verified: it comes from
 * the maker of the bundle.
 */
function isIndexOf(index: Uint8Array, packSum: Uint8Array): boolean {
  const bytes = Buffer.from(index.buffer, index.byteOffset, index.length)
  if (bytes.length < leastIndexBytes || !bytes.subarray(0, magic.length).equals(magic)) return false
  return bytes.subarray(-2 * shaBytes, -shaBytes).equals(packSum)
}

/**
 * Writes a complete pack into the repository, with the given index if it fits; otherwise git builds one. `pass`
 * writes the pack, and throws if it is corrupt: then nothing is left.
 */
export async function writePack<Result>(
  repository: CheckpointRepository,
  pass: (write: (piece: Uint8Array) => Promise<unknown>) => Promise<Result>,
  index: Promise<Uint8Array | null>,
  signal: AbortSignal,
): Promise<Result> {
  const folder = join(repository.folder, 'objects', 'pack')
  // Git removes left-over files with this name.
  const place = join(folder, 'tmp_pack_bundle')
  const file = await open(place, 'w+', 0o600)
  const sum = Buffer.alloc(shaBytes)
  let result: Result
  try {
    let size = 0
    result = await pass((piece) => {
      size += piece.length
      return file.write(piece)
    })
    if (size < shaBytes) throw new Error('the git bundle has no pack')
    await file.read(sum, 0, shaBytes, size - shaBytes)
  } finally {
    await file.close()
  }
  const name = join(folder, `pack-${sum.toString('hex')}`)
  chmodSync(place, 0o444)
  renameSync(place, `${name}.pack`)
  const given = await index
  if (given && isIndexOf(given, sum)) {
    // Renamed when complete: half an index would break the repository.
    writeFileSync(join(folder, 'tmp_idx_bundle'), given, { mode: 0o444 })
    renameSync(join(folder, 'tmp_idx_bundle'), `${name}.idx`)
  } else await repository.run(['index-pack', `${name}.pack`], { signal })
  return result
}

import type { BlobHash } from '@farhand/protocol/blob-hash'
import type { FileMode } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/workspace-path'
import type { Seen } from '../disk-folder.ts'
import type { Noted } from './portion.ts'

const modes: FileMode[] = ['100644', '100755', '120000']
const absent = 255
const hashBytes = 32

/**
 * Many paths on their way from one thread to another: a handful of values, where objects would be copied one by one.
 * The buffers are handed over, not copied.
 */
export type PackedSeen = {
  /** Joined by NUL, which no path contains. */
  paths: string
  modes: Uint8Array<ArrayBuffer>
  hashes: Uint8Array<ArrayBuffer>
  sizes: Float64Array<ArrayBuffer>
  /** Where in `content` a path's bytes begin, -1 for none. */
  at: Int32Array<ArrayBuffer>
  content: ArrayBuffer
}

export function packSeen(seen: ReadonlyMap<string, Noted>, content: Uint8Array | null): PackedSeen {
  const count = seen.size
  const hashes = Buffer.allocUnsafeSlow(count * hashBytes)
  const packed: PackedSeen = {
    paths: [...seen.keys()].join('\0'),
    modes: new Uint8Array(count),
    hashes: hashes as Buffer<ArrayBuffer>,
    sizes: new Float64Array(count),
    at: new Int32Array(count),
    content: exactly(content),
  }
  let row = 0
  for (const { entry, size, at } of seen.values()) {
    packed.modes[row] = entry ? modes.indexOf(entry.mode) : absent
    if (entry) hashes.write(entry.hash.slice(-2 * hashBytes), row * hashBytes, 'hex')
    packed.sizes[row] = size
    packed.at[row] = at
    row++
  }
  return packed
}

/** What was packed, as it was. Contents are views of one buffer. */
export function unpackSeen({ paths, modes: kinds, hashes, sizes, at, content }: PackedSeen): Seen[] {
  if (kinds.length === 0) return []
  const hex = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength).toString('hex')
  return paths.split('\0').map((path, row) => {
    const size = sizes[row]!
    const hash = `sha256_${hex.slice(2 * hashBytes * row, 2 * hashBytes * (row + 1))}` as BlobHash
    const mode = modes[kinds[row]!]
    const seen: Seen = { path: path as WorkspacePath, entry: mode ? { mode, hash } : null, size }
    if (at[row]! >= 0) seen.content = new Uint8Array(content, at[row]!, size)
    return seen
  })
}

/** What can be handed over to another thread. */
export const buffersOf = ({ modes, hashes, sizes, at, content }: PackedSeen): ArrayBuffer[] => [
  modes.buffer,
  hashes.buffer,
  sizes.buffer,
  at.buffer,
  content,
]

// Whoever keeps one small file of a report keeps its whole buffer: that must not be mostly empty.
function exactly(content: Uint8Array | null): ArrayBuffer {
  if (!content) return new ArrayBuffer(0)
  const { buffer, byteLength } = content
  if (byteLength * 4 > buffer.byteLength * 3) return buffer as ArrayBuffer
  return buffer.slice(0, byteLength) as ArrayBuffer
}

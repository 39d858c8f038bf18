import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Seen } from '../../engine/disk-folder.ts'
import { hashBytes, modes } from '../index/file-rows.ts'

/** In place of a mode: there is no file. */
export const absent = 255

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

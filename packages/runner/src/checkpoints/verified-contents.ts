import { createHash, hash as hashOf } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Content } from './git/fast-import.ts'

const largeBytes = 16 * 1024 * 1024
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/**
 * The file's bytes if they have the hash of this entry; null otherwise, or if the file is large. A parent folder may
 * be a link that leads elsewhere: the hash decides.
 */
export function readVerified(
  root: string,
  path: WorkspacePath,
  { mode, hash }: FileEntry,
): Uint8Array | null {
  const bytes = mode === '120000' ? readLink(join(root, path)) : readFile(join(root, path))
  return bytes && `sha256_${hashOf('sha256', bytes, 'hex')}` === hash ? bytes : null
}

/** The entry of the file on disk; null if there is none, or it is too large to hash. */
export function entryAt(root: string, path: WorkspacePath, mode: FileEntry['mode']): FileEntry | null {
  const bytes = mode === '120000' ? readLink(join(root, path)) : readFile(join(root, path))
  return bytes && { mode, hash: `sha256_${hashOf('sha256', bytes, 'hex')}` as BlobHash }
}

function readLink(place: string): Buffer | null {
  try {
    return readlinkSync(place, 'buffer')
  } catch {
    return null
  }
}

function readFile(place: string): Buffer | null {
  let from: number
  try {
    from = openSync(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch {
    return null
  }
  try {
    const stats = fstatSync(from)
    if (!stats.isFile() || stats.size > largeBytes) return null
    const bytes = Buffer.allocUnsafe(stats.size)
    let length = 0
    while (length < bytes.length) {
      const more = readSync(from, bytes, length, bytes.length - length, null)
      if (more === 0) break
      length += more
    }
    return bytes.subarray(0, length)
  } catch {
    return null
  } finally {
    closeSync(from)
  }
}

/** Copies a large file to `to` if it has the hash of this entry; otherwise leaves nothing there. */
export async function copyVerified(
  root: string,
  path: WorkspacePath,
  { hash }: FileEntry,
  to: string,
): Promise<Content | null> {
  const from = await open(join(root, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null)
  if (!from) return null
  try {
    if (!(await from.stat()).isFile()) return null
    return await fileOf(from.createReadStream({ autoClose: false, highWaterMark: 1024 * 1024 }), hash, to)
  } finally {
    await from.close()
  }
}

/** Writes the pieces into a file; removes it if the hash differs. */
async function fileOf(
  pieces: AsyncIterable<Uint8Array>,
  hash: BlobHash,
  to: string,
): Promise<Content | null> {
  const hasher = createHash('sha256')
  const size = await writePieces(pieces, to, (piece) => hasher.update(piece))
  if (`sha256_${hasher.digest('hex')}` === hash) return { file: to, size }
  rmSync(to, { force: true })
  return null
}

/** Writes the pieces into a file, unverified, and returns its size. */
export async function writePieces(
  pieces: AsyncIterable<Uint8Array>,
  to: string,
  on: (piece: Uint8Array) => unknown = () => {},
): Promise<number> {
  let size = 0
  const file = await open(to, 'w', 0o600)
  try {
    for await (const piece of pieces) {
      on(piece)
      size += piece.length
      await file.write(piece)
    }
  } finally {
    await file.close()
  }
  return size
}

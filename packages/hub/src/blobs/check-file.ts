import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { damaged, type VerifiedBlobs } from './verified-blobs.ts'

const pieceBytes = 256 * 1024

/** Whether the bytes in an open file hash to this name. */
export async function isRight(file: FileHandle, hash: BlobHash): Promise<boolean> {
  const sha = createHash('sha256')
  for await (const piece of pieces(file)) sha.update(piece)
  return `sha256_${sha.digest('hex')}` === hash
}

/**
 * The bytes of a file from `start` on, hashed while they are read. The last piece is given only if the hash is right, so that no reader
 * ever gets the whole of a damaged file. Closes the file.
 */
export async function* checkedOnTheWay(
  file: FileHandle,
  { hash, size, start }: { hash: BlobHash; size: number; start: number },
  verified: VerifiedBlobs,
): AsyncGenerator<Buffer> {
  try {
    const sha = createHash('sha256')
    let held: Buffer | null = null
    let at = 0
    for await (const piece of pieces(file)) {
      sha.update(piece)
      const wanted: Buffer = piece.subarray(Math.max(0, start - at))
      at += piece.length
      if (wanted.length === 0) continue
      if (held) yield held
      held = wanted
    }
    if (at !== size || `sha256_${sha.digest('hex')}` !== hash) {
      verified.markDamaged(hash)
      throw damaged()
    }
    verified.markGood(hash, size)
    if (held) yield held
  } finally {
    await file.close()
  }
}

async function* pieces(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    // A new buffer for each piece: the receiver keeps it until it is sent.
    const piece = Buffer.allocUnsafe(pieceBytes)
    const { bytesRead } = await file.read(piece, 0, pieceBytes, at)
    if (bytesRead === 0) return
    yield piece.subarray(0, bytesRead)
    at += bytesRead
  }
}

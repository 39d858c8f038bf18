import { createHash, hash as hashOnce } from 'node:crypto'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { Fault } from '@farhand/protocol/wire/faults'
import { blobHeadBytes, writePack } from '@farhand/protocol/wire/pack'
import { Pieces } from './pieces.ts'

/** A blob with its bytes, small enough to be held in memory. */
export type WholeBlob = { hash: BlobHash; bytes: Uint8Array }

/** Blobs inside a received pack, each directly after its record head. `at` is where its bytes begin. */
export type ReceivedBlobs = {
  pack: Pieces
  blobs: readonly { hash: BlobHash; at: number; size: number }[]
}

/** Puts blobs into the form in which they would have come in a pack. */
export function receivedBlobs(whole: readonly WholeBlob[]): ReceivedBlobs {
  let end = 0
  const blobs = whole.map(({ hash, bytes }) => {
    const at = end + blobHeadBytes
    end = at + bytes.length
    return { hash, at, size: bytes.length }
  })
  return { pack: new Pieces([writePack(whole)]), blobs }
}

/** Throws `blob.mismatch` unless every blob hashes to its name. */
export function verify({ pack, blobs }: ReceivedBlobs): void {
  for (const { hash, at, size } of blobs) {
    if (nameOf(pack.views(at, size)) === hash) continue
    throw new Fault('blob.mismatch', 'the bytes do not hash to their name; send them again', {
      hashes: [hash],
    })
  }
}

const nothing = new Uint8Array(0)

/** The name of the blob with these bytes, given in pieces. */
export function nameOf(pieces: readonly Uint8Array[]): string {
  // A single call takes half as long, which matters for small blobs.
  if (pieces.length <= 1) return `sha256_${hashOnce('sha256', pieces[0] ?? nothing, 'hex')}`
  const sha = createHash('sha256')
  for (const piece of pieces) sha.update(piece)
  return `sha256_${sha.digest('hex')}`
}

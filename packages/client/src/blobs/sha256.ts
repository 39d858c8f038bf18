import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { sha256 } from '@noble/hashes/sha2.js'

/** Takes bytes as they come and returns their hash at the end; a `Hash` of `node:crypto` is one. */
export type Hasher = { update(bytes: Uint8Array): unknown; digest(encoding: 'hex'): string | Promise<string> }

/** A hasher that works on every platform. It keeps all bytes in memory until the end: pass another one for large blobs. */
export function webHasher(): Hasher {
  const pieces: Uint8Array[] = []
  return {
    update: (bytes) => pieces.push(bytes),
    async digest() {
      // Browsers offer `subtle` only to pages from https or localhost, not to a phone that opens a hub in the local network.
      const subtle = globalThis.crypto?.subtle
      const digest = subtle ? await digestWith(subtle, pieces) : await digestInSlices(pieces)
      return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
    },
  }
}

async function digestWith(subtle: SubtleCrypto, pieces: readonly Uint8Array[]): Promise<Uint8Array> {
  const bytes = await new Blob([...pieces] as BlobPart[]).arrayBuffer()
  return new Uint8Array(await subtle.digest('SHA-256', bytes))
}

/** About ten milliseconds of work: after each the page is drawn and reacts. */
const sliceBytes = 512 * 1024

async function digestInSlices(pieces: readonly Uint8Array[]): Promise<Uint8Array> {
  const hash = sha256.create()
  for (const bytes of pieces) {
    for (let from = 0; from < bytes.length; from += sliceBytes) {
      hash.update(bytes.subarray(from, from + sliceBytes))
      if (bytes.length > sliceBytes) await new Promise((resolve) => setTimeout(resolve, 0))
    }
  }
  return hash.digest()
}

/** The name of a blob with these bytes. */
export async function hashOf(bytes: Uint8Array, hasher = webHasher()): Promise<BlobHash> {
  hasher.update(bytes)
  return BlobHash.parse(`sha256_${await hasher.digest('hex')}`)
}

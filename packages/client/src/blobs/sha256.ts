import { sha256 } from '@farhand/kit/sha256'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'

/** Takes bytes as they come and names them at the end; a `Hash` of `node:crypto` is one. */
export type Hasher = { update(bytes: Uint8Array): unknown; digest(encoding: 'hex'): string | Promise<string> }

/** Hashes with what every platform has. It keeps all bytes until the end: inject another one for large blobs. */
export function webHasher(): Hasher {
  const pieces: Uint8Array[] = []
  return {
    update: (bytes) => pieces.push(bytes),
    async digest() {
      const bytes = await new Blob(pieces as BlobPart[]).arrayBuffer()
      // Browsers offer `subtle` only to pages from https or localhost, not to a phone that opens a hub in the local network.
      const subtle = globalThis.crypto?.subtle
      const digest = subtle
        ? new Uint8Array(await subtle.digest('SHA-256', bytes))
        : await sha256(new Uint8Array(bytes))
      return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
    },
  }
}

/** The name of a blob with these bytes. */
export async function hashOf(bytes: Uint8Array, hasher = webHasher()): Promise<BlobHash> {
  hasher.update(bytes)
  return BlobHash.parse(`sha256_${await hasher.digest('hex')}`)
}

import { BlobHash } from '@farhand/protocol/blob-hash'

/** Takes bytes as they come and names them at the end; a `Hash` of `node:crypto` is one. */
export type Hasher = { update(bytes: Uint8Array): unknown; digest(encoding: 'hex'): string | Promise<string> }

/** Hashes with what every platform has. It keeps all bytes until the end: inject another one for large blobs. */
export function webHasher(): Hasher {
  const pieces: Uint8Array[] = []
  return {
    update: (bytes) => pieces.push(bytes),
    async digest() {
      if (!globalThis.crypto?.subtle) {
        throw new Error('this page cannot hash: open the hub over https, or on localhost, or inject a hasher')
      }
      const bytes = await new Blob(pieces as BlobPart[]).arrayBuffer()
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
      return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
    },
  }
}

/** The name of a blob with these bytes. */
export async function hashOf(bytes: Uint8Array, hasher = webHasher()): Promise<BlobHash> {
  hasher.update(bytes)
  return BlobHash.parse(`sha256_${await hasher.digest('hex')}`)
}

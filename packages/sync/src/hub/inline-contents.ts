import type { BlobHash } from '@farhand/protocol/wire/blob-hash'

const mostBytes = 1024 * 1024

/** Small contents that came by themselves, until they are used or newer ones take their place. */
export class InlineContents {
  readonly #contents = new Map<BlobHash, Uint8Array>()
  #bytes = 0

  put(hash: BlobHash, bytes: Uint8Array): void {
    this.take(hash)
    this.#contents.set(hash, bytes)
    this.#bytes += bytes.length
    for (const oldest of this.#contents.keys()) {
      if (this.#bytes <= mostBytes) break
      this.take(oldest)
    }
  }

  /** The content, which is then no longer here. */
  take(hash: BlobHash): Uint8Array | null {
    const bytes = this.#contents.get(hash) ?? null
    if (bytes && this.#contents.delete(hash)) this.#bytes -= bytes.length
    return bytes
  }
}

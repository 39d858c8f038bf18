import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import type { ContentSums, Summer } from '@farhand/kit/content-sums'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'

/** Contents from this size on are summed up, so that only what is different in their next version has to travel. */
export const summedBytes = 4 * 1024 * 1024

// About 1 KB for each MiB of content that is remembered.
const mostSteps = 4096

/**
 * What this process has read or written of large contents, the newest of them. A new process begins with nothing: the
 * first change of a large file is then sent whole.
 */
export class SummedContents {
  readonly #known = new Map<BlobHash, ContentSums>()
  readonly summer = newSummer()
  #steps = 0

  get(hash: BlobHash | undefined): ContentSums | null {
    return (hash && this.#known.get(hash)) ?? null
  }

  remember(hash: BlobHash, sums: ContentSums): void {
    this.#forget(hash)
    this.#known.set(hash, sums)
    this.#steps += sums.states.length
    for (const oldest of this.#known.keys()) {
      if (this.#steps <= mostSteps) return
      this.#forget(oldest)
    }
  }

  #forget(hash: BlobHash): void {
    this.#steps -= this.#known.get(hash)?.states.length ?? 0
    this.#known.delete(hash)
  }
}

/** Of this thread: contents are known by their hashes, in whichever folder they are. */
export const summedContents = new SummedContents()

/**
 * Pieces are told apart by a message authentication code under a random key: three times as fast as hashing them.
 * The key must never leave this thread, or an attacker could make two different pieces with the same code.
 */
function newSummer(): Summer {
  const [key, nonce] = [randomBytes(32), randomBytes(12)]
  return {
    newHash: () => createHash('sha256'),
    sum(piece) {
      const code = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 })
      code.setAAD(piece, { plaintextLength: 0 })
      code.final()
      return code.getAuthTag().toString('latin1')
    },
  }
}

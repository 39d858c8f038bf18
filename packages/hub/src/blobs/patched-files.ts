import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { close, open, read, write } from 'node:fs'
import { promisify } from 'node:util'
import { assemble } from '@farhand/kit/assemble'
import type { ContentSums } from '@farhand/kit/content-sums'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { readPatch } from '@farhand/protocol/wire/patch'

/** Where the base is, where to make something else of it, and how: a patch as it came. */
export type Assemble = { from: string; into: string; patch: Uint8Array }
/** What it hashes to; null if the base is shorter than the patch believes. Or what the system says. */
export type Assembled = { hash: BlobHash | null } | { failed: string; code: string | undefined }

const openFile = promisify(open)
const closeFile = promisify(close)
const readFrom = promisify(read)
const writeTo = promisify(write)

// About 1 KB for each step of 1 MiB that is remembered.
const mostSteps = 4096

/** Makes files of other files and remembers what they were, so that the next one like it is verified sooner. */
export class PatchedFiles {
  readonly #known = new Map<string, ContentSums>()
  readonly #summer = newSummer()

  async assemble({ from, into, patch }: Assemble): Promise<Assembled> {
    try {
      const { base, parts } = readPatch(patch)
      const source = await openFile(from, 'r')
      let target: number | null = null
      try {
        const written = await openFile(into, 'r+')
        target = written
        const sums = await assemble({
          parts,
          summer: this.#summer,
          like: this.#known.get(base) ?? null,
          read: async (room, at) => (await readFrom(source, room, 0, room.length, at)).bytesRead,
          write: async (bytes, at) => {
            for (let done = 0; done < bytes.length; )
              done += (await writeTo(written, bytes, done, bytes.length - done, at + done)).bytesWritten
          },
        })
        if (!sums) return { hash: null }
        const hash = `sha256_${sums.hex}` as BlobHash
        this.#remember(hash, sums)
        return { hash }
      } finally {
        await closeFile(source)
        if (target !== null) await closeFile(target)
      }
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException
      return { failed: message, code }
    }
  }

  #remember(hash: string, sums: ContentSums): void {
    this.#known.delete(hash)
    this.#known.set(hash, sums)
    let steps = 0
    for (const { states } of this.#known.values()) steps += states.length
    for (const [oldest, { states }] of this.#known) {
      if (steps <= mostSteps) return
      this.#known.delete(oldest)
      steps -= states.length
    }
  }
}

/**
 * Pieces are told apart by a message authentication code under a key that nobody knows: three times as fast as hashing
 * them. It must never leave this thread, or someone could make two pieces that have the same.
 */
function newSummer() {
  const [key, nonce] = [randomBytes(32), randomBytes(12)]
  return {
    newHash: () => createHash('sha256'),
    sum(piece: Uint8Array): string {
      const code = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 })
      code.setAAD(piece, { plaintextLength: 0 })
      code.final()
      return code.getAuthTag().toString('latin1')
    },
  }
}

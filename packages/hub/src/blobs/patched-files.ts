import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { close, open, read, write } from 'node:fs'
import { promisify } from 'node:util'
import { assemble } from '@farhand/kit/assemble'
import type { ContentSums } from '@farhand/kit/content-sums'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { readPatch } from '@farhand/protocol/wire/patch'

/** The file of the base, the file to write the result into, and the patch. */
export type Assemble = { from: string; into: string; patch: Uint8Array }
/** The hash of the result, null if the base is shorter than the patch needs; or the error of the system. */
export type Assembled = { hash: BlobHash | null } | { failed: string; code: string | undefined }

const openFile = promisify(open)
const closeFile = promisify(close)
const readFrom = promisify(read)
const writeTo = promisify(write)

// Each remembered step of 1 MiB takes about 1 KB of memory.
const mostSteps = 4096

/** Makes files from other files by patches, and remembers checksums of the results, so that similar files are verified faster. */
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
 * Compares pieces by a message authentication code with a random key, which is three times as fast as hashing. The key must never leave
 * this thread: with it an attacker could make two pieces with the same code.
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

import type { FileEntry } from '@farhand/protocol/methods/files'
import type { Skip } from '../disk-folder.ts'
import { type PackedSeen, packSeen } from './packed-seen.ts'

const mostBytes = 4 * 1024 * 1024
const mostWithContent = 512
const mostSeen = 4096
const firstBytes = 16 * 1024

export type Noted = { entry: FileEntry | null; size: number; at: number }

/** What was found and not yet said, at most once for a path: a later finding takes the place of an earlier one. */
export class Portion {
  readonly #seen = new Map<string, Noted>()
  readonly #skipped = new Map<string, Skip>()
  #bytes: Buffer | null = null
  #used = 0
  #withContent = 0

  get isEmpty(): boolean {
    return this.#seen.size === 0 && this.#skipped.size === 0
  }

  get isFull(): boolean {
    return this.#used >= mostBytes || this.#withContent >= mostWithContent || this.#seen.size >= mostSeen
  }

  see(path: string, entry: FileEntry | null, size: number, content: Uint8Array | null): void {
    this.#skipped.delete(path)
    this.#seen.set(path, { entry, size, at: content ? this.#add(content) : -1 })
  }

  skip(skip: Skip): void {
    this.#seen.delete(skip.path)
    this.#skipped.set(skip.path, skip)
  }

  /** Takes back what was not said yet. */
  drop(path: string): void {
    this.#seen.delete(path)
  }

  /** Hands over everything, and begins anew. */
  take(): { packed: PackedSeen; skipped: Skip[] } {
    const content = this.#bytes?.subarray(0, this.#used) ?? null
    const packed = packSeen(this.#seen, content)
    const skipped = [...this.#skipped.values()]
    this.#seen.clear()
    this.#skipped.clear()
    this.#bytes = null
    this.#used = 0
    this.#withContent = 0
    return { packed, skipped }
  }

  #add(content: Uint8Array): number {
    const at = this.#used
    const needed = at + content.length
    if (!this.#bytes || needed > this.#bytes.length) {
      let room = this.#bytes ? this.#bytes.length * 2 : firstBytes
      while (room < needed) room *= 2
      const larger = Buffer.allocUnsafeSlow(room)
      this.#bytes?.copy(larger, 0, 0, at)
      this.#bytes = larger
    }
    this.#bytes.set(content, at)
    this.#used = needed
    this.#withContent++
    return at
  }
}

import type { FileEntry } from '@farhand/protocol/methods/files'
import type { Skip } from '../../engine/disk-folder.ts'
import { smallBytes } from '../content/reading.ts'
import type { PackedRow } from '../index/file-rows.ts'
import type { PackedSeen } from './packed-seen.ts'
import { SeenColumns } from './seen-columns.ts'

const mostBytes = 4 * 1024 * 1024
const mostWithContent = 512
const mostSeen = 4096
const firstBytes = 16 * 1024

/**
 * What was found and not yet reported, at most once for each path: a later finding replaces an earlier one. It is kept in
 * the columns in which it is sent: thousands of objects would be copied by each garbage collection.
 */
export class PendingReport {
  readonly #rows = new Map<string, number>()
  readonly #skipped = new Map<string, Skip>()
  #columns = new SeenColumns()
  #bytes: Buffer | null = null
  #used = 0
  #room = firstBytes
  #withContent = 0

  get isEmpty(): boolean {
    return this.#rows.size === 0 && this.#skipped.size === 0
  }

  get isFull(): boolean {
    return this.#used >= mostBytes || this.#withContent >= mostWithContent || this.#rows.size >= mostSeen
  }

  see(path: string, entry: FileEntry | null, size: number, content: Uint8Array | null): void {
    this.#columns.put(this.#rowOf(path), entry, size, content ? this.#add(content) : -1)
  }

  seeKnown(path: string, known: PackedRow): void {
    this.#columns.putPacked(this.#rowOf(path), known)
  }

  skip(skip: Skip): void {
    this.#rows.delete(skip.path)
    this.#skipped.set(skip.path, skip)
  }

  /** Removes what was not reported yet. */
  drop(path: string): void {
    this.#rows.delete(path)
  }

  /** Hands over everything, and begins anew. */
  take(): { packed: PackedSeen; skipped: Skip[] } {
    const content = this.#bytes?.subarray(0, this.#used) ?? null
    // After a full report the next one is likely to be full too.
    this.#room = this.#used >= mostBytes / 2 ? mostBytes + smallBytes : firstBytes
    const packed = this.#columns.pack(this.#rows, content)
    const skipped = [...this.#skipped.values()]
    this.#rows.clear()
    this.#skipped.clear()
    this.#columns = new SeenColumns()
    this.#bytes = null
    this.#used = 0
    this.#withContent = 0
    return { packed, skipped }
  }

  #rowOf(path: string): number {
    if (this.#skipped.size > 0) this.#skipped.delete(path)
    let row = this.#rows.get(path)
    if (row === undefined) {
      row = this.#columns.add()
      this.#rows.set(path, row)
    }
    return row
  }

  /** Where a content of this size can be read to, so that it need not be copied when it is seen right after. */
  roomFor(size: number): Buffer {
    const needed = this.#used + size
    if (!this.#bytes || needed > this.#bytes.length) {
      let room = this.#bytes ? this.#bytes.length * 2 : this.#room
      while (room < needed) room *= 2
      const larger = Buffer.allocUnsafeSlow(room)
      this.#bytes?.copy(larger, 0, 0, this.#used)
      this.#bytes = larger
    }
    return this.#bytes.subarray(this.#used, needed)
  }

  #add(content: Uint8Array): number {
    const at = this.#used
    const isThere = content.buffer === this.#bytes?.buffer && content.byteOffset === at
    if (!isThere) this.roomFor(content.length).set(content)
    this.#used += content.length
    this.#withContent++
    return at
  }
}

import type { FileEntry } from '@farhand/protocol/methods/files'
import { grown, hashBytes, modeNumber, type PackedRow } from '../index/file-rows.ts'
import { absent, type PackedSeen } from './packed-seen.ts'

const firstRows = 16

/** What is to be reported of many paths, one row each, in the columns in which it is sent. */
export class SeenColumns {
  #modes = new Uint8Array(firstRows)
  #hashes = Buffer.allocUnsafeSlow(firstRows * hashBytes)
  #sizes = new Float64Array(firstRows)
  #at = new Int32Array(firstRows)
  #used = 0

  /** A new row, which has to be filled. */
  add(): number {
    if (this.#used === this.#modes.length) this.#makeRoom()
    return this.#used++
  }

  put(row: number, entry: FileEntry | null, size: number, at: number): void {
    this.#modes[row] = entry ? modeNumber(entry.mode) : absent
    if (entry) this.#hashes.write(entry.hash.slice(-2 * hashBytes), row * hashBytes, 'hex')
    this.#sizes[row] = size
    this.#at[row] = at
  }

  putPacked(row: number, { mode, size, from, hashAt }: PackedRow): void {
    this.#modes[row] = mode
    from.copy(this.#hashes, row * hashBytes, hashAt, hashAt + hashBytes)
    this.#sizes[row] = size
    this.#at[row] = -1
  }

  /** The rows of these paths, which are in the order in which they were added. */
  pack(rows: ReadonlyMap<string, number>, content: Uint8Array | null): PackedSeen {
    if (rows.size < this.#used) this.#closeGaps(rows.values())
    const count = rows.size
    return {
      paths: [...rows.keys()].join('\0'),
      modes: this.#modes.slice(0, count),
      hashes: new Uint8Array(this.#hashes.buffer.slice(0, count * hashBytes) as ArrayBuffer),
      sizes: this.#sizes.slice(0, count),
      at: this.#at.slice(0, count),
      content: exactly(content),
    }
  }

  #closeGaps(rows: Iterable<number>): void {
    let to = 0
    for (const row of rows) {
      this.#modes[to] = this.#modes[row]!
      this.#hashes.copyWithin(to * hashBytes, row * hashBytes, (row + 1) * hashBytes)
      this.#sizes[to] = this.#sizes[row]!
      this.#at[to] = this.#at[row]!
      to++
    }
  }

  #makeRoom(): void {
    const rows = this.#modes.length * 4
    this.#modes = grown(this.#modes, new Uint8Array(rows))
    this.#hashes = grown(this.#hashes, Buffer.allocUnsafeSlow(rows * hashBytes))
    this.#sizes = grown(this.#sizes, new Float64Array(rows))
    this.#at = grown(this.#at, new Int32Array(rows))
  }
}

// A reference to one small file of a report keeps the whole buffer in memory: it must not be mostly empty.
function exactly(content: Uint8Array | null): ArrayBuffer {
  if (!content) return new ArrayBuffer(0)
  const { buffer, byteLength } = content
  if (byteLength * 4 > buffer.byteLength * 3) return buffer as ArrayBuffer
  return buffer.slice(0, byteLength) as ArrayBuffer
}

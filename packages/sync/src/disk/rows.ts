import type { BlobHash } from '@farhand/protocol/blob-hash'
import type { FileMode } from '@farhand/protocol/methods/files'
import type { Known } from './known-files.ts'

const modes: FileMode[] = ['100644', '100755', '120000']
const hashBytes = 32

/** What is known of many files, 49 bytes each and no object: a row number stands for a file. */
export class Rows {
  #stamps = new Float64Array(64)
  #sizes = new Float64Array(64)
  #modes = new Uint8Array(64)
  #hashes = Buffer.alloc(64 * hashBytes)
  #used = 0
  #free: number[] = []

  get count(): number {
    return this.#used - this.#free.length
  }

  get(row: number): Known {
    return {
      entry: { mode: modes[this.#modes[row]!]!, hash: this.#hash(row) },
      stamp: this.#stamps[row]!,
      size: this.#sizes[row]!,
    }
  }

  stamp(row: number): number {
    return this.#stamps[row]!
  }

  add(known: Known): number {
    const row = this.#free.pop() ?? this.#used++
    if (row >= this.#stamps.length) this.#makeRoom()
    this.put(row, known)
    return row
  }

  put(row: number, { entry, stamp, size }: Known): void {
    this.#stamps[row] = stamp
    this.#sizes[row] = size
    this.#modes[row] = modes.indexOf(entry.mode)
    this.#hashes.write(entry.hash.slice(-2 * hashBytes), row * hashBytes, 'hex')
  }

  remove(row: number): void {
    this.#free.push(row)
  }

  #hash(row: number): BlobHash {
    return `sha256_${this.#hashes.toString('hex', row * hashBytes, (row + 1) * hashBytes)}` as BlobHash
  }

  #makeRoom(): void {
    const rows = Math.ceil((this.#stamps.length * 3) / 2)
    this.#stamps = grown(this.#stamps, new Float64Array(rows))
    this.#sizes = grown(this.#sizes, new Float64Array(rows))
    this.#modes = grown(this.#modes, new Uint8Array(rows))
    this.#hashes = grown(this.#hashes, Buffer.alloc(rows * hashBytes))
  }
}

function grown<Kind extends Float64Array | Uint8Array>(from: Kind, to: Kind): Kind {
  to.set(from)
  return to
}

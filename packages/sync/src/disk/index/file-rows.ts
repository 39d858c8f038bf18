import type { FileEntry, FileMode } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'

export const modes: FileMode[] = ['100644', '100755', '120000']
export const hashBytes = 32
export const modeNumber = (mode: FileMode) => (mode === '100644' ? 0 : modes.indexOf(mode))

/**
 * What a file was when it was last hashed or written by us. `stamp` is the `stampOf` of that moment, or 0 if a later
 * version could have the same stamp: such a file has to be hashed again whenever it is looked at.
 */
export type Known = { entry: FileEntry; stamp: number; size: number }

/** What is known of a file, with the bytes of its hash in a buffer that holds those of many. */
export type PackedRow = { mode: number; size: number; from: Buffer; hashAt: number }

/** What is known of many files, 49 bytes each and no object: a row number stands for a file. */
export class FileRows {
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
    const row = this.#newRow()
    this.put(row, known)
    return row
  }

  put(row: number, { entry, stamp, size }: Known): void {
    this.#stamps[row] = stamp
    this.#sizes[row] = size
    this.#modes[row] = modeNumber(entry.mode)
    this.#hashes.write(entry.hash.slice(-2 * hashBytes), row * hashBytes, 'hex')
  }

  addPacked(stamp: number, { mode, size, from, hashAt }: PackedRow): number {
    const row = this.#newRow()
    this.#stamps[row] = stamp
    this.#sizes[row] = size
    this.#modes[row] = mode
    from.copy(this.#hashes, row * hashBytes, hashAt, hashAt + hashBytes)
    return row
  }

  remove(row: number): void {
    this.#free.push(row)
  }

  #newRow(): number {
    const row = this.#free.pop() ?? this.#used++
    if (row >= this.#stamps.length) this.#makeRoom()
    return row
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

/** The longer one, with what is in the other. */
export function grown<Kind extends Float64Array | Uint8Array | Int32Array>(from: Kind, to: Kind): Kind {
  to.set(from)
  return to
}

import type { Place } from './pack-index.ts'

const mostBytes = 4 * 1024 * 1024
const mostKept = 4000

type Kept = { segment: number; start: number; bytes: Buffer }

/** The last small appends in memory: what one client has just sent, other clients fetch next. */
export class RecentAppends {
  readonly #kept: Kept[] = []
  #size = 0
  // Entries before this index are dropped. Removing each from the front of the array would move all others.
  #first = 0

  push({ segment, start }: Place, bytes: Buffer): void {
    this.#kept.push({ segment, start, bytes })
    this.#size += bytes.length
    while (this.#size > mostBytes || this.#kept.length - this.#first > mostKept)
      this.#size -= this.#kept[this.#first++]!.bytes.length
    if (this.#first * 2 < this.#kept.length) return
    this.#kept.splice(0, this.#first)
    this.#first = 0
  }

  /** The bytes at this place if they were appended recently; null if they must be read from the disk. */
  find(segment: number, start: number, length: number): Buffer | null {
    let low = this.#first
    let high = this.#kept.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const { segment: its, start: from } = this.#kept[middle]!
      if (its < segment || (its === segment && from <= start)) low = middle + 1
      else high = middle
    }
    const kept = low > this.#first ? this.#kept[low - 1]! : null
    if (!kept || kept.segment !== segment || start + length > kept.start + kept.bytes.length) return null
    return kept.bytes.subarray(start - kept.start, start - kept.start + length)
  }

  drop(segment: number): void {
    const left = this.#kept.slice(this.#first).filter((kept) => kept.segment !== segment)
    this.#kept.splice(0, this.#kept.length, ...left)
    this.#first = 0
    this.#size = left.reduce((size, { bytes }) => size + bytes.length, 0)
  }
}

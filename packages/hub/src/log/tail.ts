import type { Stretch } from './event-log.ts'
import { skipLines, stretchOf, wholeLines } from './stretch.ts'

const sharedKept = 8

/**
 * The newest flushes of a log in memory, so that readers that keep up need no file access. Readers at the same id get the same object,
 * so that its frames are made once for all of them.
 */
export class Tail {
  readonly #limitBytes: number
  #stretches: Stretch[] = []
  #bytes = 0
  #shared = new Map<number, { maxBytes: number; stretch: Stretch }>()

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** Adds the next flush. */
  push(stretch: Stretch): void {
    this.#shared.clear()
    this.#stretches.push(stretch)
    this.#bytes += stretch.bytes.length
    while (this.#bytes > this.#limitBytes) this.#bytes -= this.#stretches.shift()!.bytes.length
  }

  /** The lines after `after`, which must not be the end of the log; undefined if they are no longer in memory. */
  after(after: number, maxBytes: number): Stretch | undefined {
    const oldest = this.#stretches[0]
    if (!oldest || after + 1 < oldest.firstId) return undefined
    const shared = this.#shared.get(after)
    if (shared && this.#answers(shared, maxBytes)) return shared.stretch
    const stretch = this.#join(after, maxBytes)
    if (this.#shared.size >= sharedKept) this.#shared.clear()
    this.#shared.set(after, { maxBytes, stretch })
    return stretch
  }

  /** Readers ask for different sizes; if everything up to the end fits, they still share the object. */
  #answers({ maxBytes, stretch }: { maxBytes: number; stretch: Stretch }, wantedBytes: number): boolean {
    if (maxBytes === wantedBytes) return true
    return stretch.lastId === this.#stretches.at(-1)!.lastId && stretch.bytes.length <= wantedBytes
  }

  #join(after: number, maxBytes: number): Stretch {
    const index = this.#indexOf(after + 1)
    const first = this.#stretches[index]!
    const bytes = first.bytes.subarray(skipLines(first.bytes, after + 1 - first.firstId))
    if (bytes.length > maxBytes) return stretchOf(bytes.subarray(0, wholeLines(bytes, maxBytes)))
    const parts = [bytes]
    let room = maxBytes - bytes.length
    for (let next = index + 1; next < this.#stretches.length; next += 1) {
      const part = this.#stretches[next]!.bytes
      room -= part.length
      if (room < 0) break
      parts.push(part)
    }
    if (parts.length > 1) return stretchOf(Buffer.concat(parts))
    return bytes.length === first.bytes.length ? first : stretchOf(bytes)
  }

  #indexOf(id: number): number {
    let low = 0
    let high = this.#stretches.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#stretches[middle]!.firstId <= id) low = middle
      else high = middle - 1
    }
    return low
  }
}

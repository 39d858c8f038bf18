import type { LogChunk } from './event-log.ts'
import { chunkOf, skipLines, wholeLines } from './log-chunk.ts'

const sharedKept = 8

/**
 * The newest flushes of a log in memory, so that readers that keep up need no file access. Readers at the same id get the same object,
 * so that its frames are made once for all of them.
 */
export class Tail {
  readonly #limitBytes: number
  #chunks: LogChunk[] = []
  #bytes = 0
  #shared = new Map<number, { maxBytes: number; chunk: LogChunk }>()

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** Adds the next flush. */
  push(chunk: LogChunk): void {
    this.#shared.clear()
    this.#chunks.push(chunk)
    this.#bytes += chunk.bytes.length
    while (this.#bytes > this.#limitBytes) this.#bytes -= this.#chunks.shift()!.bytes.length
  }

  /** The lines after `after`, which must not be the end of the log; undefined if they are no longer in memory. */
  after(after: number, maxBytes: number): LogChunk | undefined {
    const oldest = this.#chunks[0]
    if (!oldest || after + 1 < oldest.firstId) return undefined
    const shared = this.#shared.get(after)
    if (shared && this.#answers(shared, maxBytes)) return shared.chunk
    const chunk = this.#join(after, maxBytes)
    if (this.#shared.size >= sharedKept) this.#shared.clear()
    this.#shared.set(after, { maxBytes, chunk })
    return chunk
  }

  /** Readers ask for different sizes; if everything up to the end fits, they still share the object. */
  #answers({ maxBytes, chunk }: { maxBytes: number; chunk: LogChunk }, wantedBytes: number): boolean {
    if (maxBytes === wantedBytes) return true
    return chunk.lastId === this.#chunks.at(-1)!.lastId && chunk.bytes.length <= wantedBytes
  }

  #join(after: number, maxBytes: number): LogChunk {
    const index = this.#indexOf(after + 1)
    const first = this.#chunks[index]!
    const bytes = first.bytes.subarray(skipLines(first.bytes, after + 1 - first.firstId))
    if (bytes.length > maxBytes) return chunkOf(bytes.subarray(0, wholeLines(bytes, maxBytes)))
    const parts = [bytes]
    let room = maxBytes - bytes.length
    for (let next = index + 1; next < this.#chunks.length; next += 1) {
      const part = this.#chunks[next]!.bytes
      room -= part.length
      if (room < 0) break
      parts.push(part)
    }
    if (parts.length > 1) return chunkOf(Buffer.concat(parts))
    return bytes.length === first.bytes.length ? first : chunkOf(bytes)
  }

  #indexOf(id: number): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#chunks[middle]!.firstId <= id) low = middle
      else high = middle - 1
    }
    return low
  }
}

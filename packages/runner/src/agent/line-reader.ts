const newline = 0x0a
const endBytes = 1024

/** One line, or both ends of a line that was too long to keep. */
export type Line = { text: string } | { head: string; tail: string; bytes: number }

/** Splits chunks of bytes into lines. It never keeps more than `mostBytes` of a line. */
export class LineReader {
  readonly #mostBytes: number
  /** Chunks that were not read yet, and the position in the first. */
  readonly #chunks: Buffer[] = []
  #at = 0
  /** The beginning of a line whose end has not come. */
  #parts: Buffer[] = []
  #bytes = 0
  #tooLong: { head: Buffer; tail: Buffer } | null = null

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  push(chunk: Buffer): void {
    if (chunk.length > 0) this.#chunks.push(chunk)
  }

  /** The next whole line; null if there is none. */
  next(): Line | null {
    for (;;) {
      const chunk = this.#chunks[0]
      if (chunk === undefined) return null
      const from = this.#at
      const end = chunk.indexOf(newline, from)
      this.#at = end < 0 ? chunk.length : end + 1
      if (this.#at === chunk.length) {
        this.#chunks.shift()
        this.#at = 0
      }
      if (end >= 0 && this.#bytes === 0 && end - from <= this.#mostBytes) {
        return { text: chunk.toString('utf8', from, end) }
      }
      this.#keep(chunk.subarray(from, end < 0 ? chunk.length : end))
      if (end >= 0) return this.rest()
    }
  }

  /** What came after the last newline, as a line; null if nothing did. To be called at the end. */
  rest(): Line | null {
    if (this.#bytes === 0) return null
    const bytes = this.#bytes
    const tooLong = this.#tooLong
    const parts = this.#parts
    this.#bytes = 0
    this.#tooLong = null
    this.#parts = []
    if (tooLong) return { head: tooLong.head.toString(), tail: tooLong.tail.toString(), bytes }
    return { text: Buffer.concat(parts, bytes).toString() }
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length
    if (!this.#tooLong && this.#bytes <= this.#mostBytes) {
      this.#parts.push(part)
      return
    }
    const before = this.#tooLong ?? endsOf(Buffer.concat(this.#parts))
    this.#parts = []
    this.#tooLong = {
      head: before.head.length < endBytes ? copyOf(before.head, part).subarray(0, endBytes) : before.head,
      tail: copyOf(before.tail, part.subarray(-endBytes)).subarray(-endBytes),
    }
  }
}

const endsOf = (bytes: Buffer) => ({ head: bytes.subarray(0, endBytes), tail: bytes.subarray(-endBytes) })

/** A copy: a slice would keep the whole chunk in memory. */
const copyOf = (...parts: Buffer[]) => Buffer.concat(parts)

import { type ContentSums, type Summer, Summing, stepBytes } from './content-sums.ts'

/** What a content is assembled from: new bytes, and ranges of another content. */
export type Part = Uint8Array | { start: number; end: number }

export type Assembly = {
  parts: readonly Part[]
  summer: Summer
  /** What is known of a content that this one is like. */
  like: ContentSums | null
  /** Reads from the other content; fewer bytes than asked for mean that it ends there. */
  read: (into: Uint8Array, at: number) => Promise<number>
  write: (bytes: Uint8Array, at: number) => Promise<void>
}

// One buffer is read into, one is hashed, and the others are written.
const mostBuffers = 4

/**
 * Writes a content that is made of parts, and hashes exactly the bytes that it writes: their hash shows whether they are
 * right, even if the other content changed meanwhile. Null if the other content is too short.
 */
export async function assemble({ parts, summer, like, read, write }: Assembly): Promise<ContentSums | null> {
  const size = parts.reduce((sum, part) => sum + lengthOf(part), 0)
  const summing = new Summing(summer, size, like)
  const source = new Source(parts, read)
  const count = Math.min(mostBuffers, Math.ceil(size / stepBytes))
  const buffers = Array.from({ length: count }, () => new Buffer(Math.min(stepBytes, size)))
  const fill = (at: number) => {
    const buffer = buffers[(at / stepBytes) % count]!
    const step = buffer.bytes.subarray(0, Math.min(stepBytes, size - at))
    const read = async () => ((await source.fill(step)) ? { buffer, step } : null)
    // Start reading now if possible: the hashing that comes next would delay it.
    return buffer.isFree ? read() : buffer.written.then(read)
  }
  let next = size > 0 ? fill(0) : null
  try {
    for (let at = 0; at < size; at += stepBytes) {
      const filled = await next!
      if (!filled) return null
      filled.buffer.writes(write(filled.step, at))
      next = at + stepBytes < size ? fill(at + stepBytes) : null
      summing.add(filled.step)
    }
    const sums = summing.end()
    await Promise.all(buffers.map(({ written }) => written))
    return sums
  } finally {
    // The caller closes the files next: a write that is still under way could then go to another file.
    await Promise.allSettled([next, ...buffers.map(({ written }) => written)])
  }
}

class Buffer {
  readonly bytes: Uint8Array
  isFree = true
  /** Awaited when the buffer is needed again, and at the end. */
  written: Promise<void> = Promise.resolve()

  constructor(size: number) {
    this.bytes = new Uint8Array(size)
  }

  writes(written: Promise<void>): void {
    this.isFree = false
    this.written = written.then(() => {
      this.isFree = true
    })
    this.written.catch(() => {})
  }
}

/** The parts, read one after another. */
class Source {
  readonly #parts: readonly Part[]
  readonly #read: Assembly['read']
  #nth = 0
  #within = 0

  constructor(parts: readonly Part[], read: Assembly['read']) {
    this.#parts = parts
    this.#read = read
  }

  /** Says whether there were enough bytes. */
  async fill(room: Uint8Array): Promise<boolean> {
    for (let at = 0; at < room.length; ) {
      const part = this.#parts[this.#nth]!
      const length = Math.min(lengthOf(part) - this.#within, room.length - at)
      if (length > 0) {
        const piece = room.subarray(at, at + length)
        if (part instanceof Uint8Array) piece.set(part.subarray(this.#within, this.#within + length))
        else if (!(await this.#readAll(piece, part.start + this.#within))) return false
      }
      at += length
      this.#within += length
      if (this.#within === lengthOf(part)) {
        this.#nth++
        this.#within = 0
      }
    }
    return true
  }

  async #readAll(room: Uint8Array, from: number): Promise<boolean> {
    for (let at = 0; at < room.length; ) {
      const bytes = await this.#read(room.subarray(at), from + at)
      if (bytes === 0) return false
      at += bytes
    }
    return true
  }
}

const lengthOf = (part: Part) => (part instanceof Uint8Array ? part.length : part.end - part.start)

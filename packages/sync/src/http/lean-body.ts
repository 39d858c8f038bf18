// The most that is read ahead of the reader.
const mostQueuedBytes = 256 * 1024

type Read = { done: true; value: undefined } | { done: false; value: Uint8Array }
type Waiting = { resolve: (read: Read) => void; reject: (error: unknown) => void }

const done: Read = { done: true, value: undefined }

/** Where the bytes come from. */
export type BodySource = { pause(): void; resume(): void; destroy(): void }

/** The body of an answer, read as fast as it is asked for and no faster; as much of a ReadableStream as readers use. */
export class LeanBody {
  readonly #source: BodySource
  readonly #queue: Uint8Array[] = []
  #queuedBytes = 0
  #paused = false
  #waiting: Waiting | null = null
  #ended = false
  #trouble: { why: unknown } | null = null

  constructor(source: BodySource) {
    this.#source = source
  }

  getReader(): { read: () => Promise<Read>; cancel: () => Promise<void>; releaseLock: () => void } {
    return { read: () => this.#read(), cancel: () => this.cancel(), releaseLock: () => {} }
  }

  async cancel(): Promise<void> {
    // Another request may use the connection by now.
    if (this.#ended) return
    this.#ended = true
    this.#source.destroy()
  }

  async whole(): Promise<Buffer> {
    const pieces: Uint8Array[] = []
    for (let read = await this.#read(); !read.done; read = await this.#read()) pieces.push(read.value)
    return Buffer.concat(pieces)
  }

  /** Takes what came. */
  take(piece: Uint8Array): void {
    if (this.#waiting) {
      this.#waiting.resolve({ done: false, value: piece })
      this.#waiting = null
      return
    }
    this.#queuedBytes += piece.length
    this.#queue.push(piece)
    if (this.#queuedBytes <= mostQueuedBytes || this.#paused) return
    this.#paused = true
    this.#source.pause()
  }

  /** That was all. */
  end(): void {
    this.#ended = true
    this.#paused = false
    this.#waiting?.resolve(done)
    this.#waiting = null
  }

  /** Fails the present or next read. A body that has ended already stays as it is. */
  fail(why: unknown): void {
    if (this.#ended) return
    this.#trouble ??= { why }
    this.#waiting?.reject(this.#trouble.why)
    this.#waiting = null
  }

  #read(): Promise<Read> {
    if (this.#trouble) return Promise.reject(this.#trouble.why)
    const piece = this.#queue.shift()
    if (piece) {
      this.#queuedBytes -= piece.length
      if (this.#paused && this.#queue.length === 0) {
        this.#paused = false
        this.#source.resume()
      }
      return Promise.resolve({ done: false, value: piece })
    }
    if (this.#ended) return Promise.resolve(done)
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }
}

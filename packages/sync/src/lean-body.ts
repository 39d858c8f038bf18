import type { IncomingMessage } from 'node:http'

// More than this is not read ahead of whoever asked for it.
const mostQueuedBytes = 256 * 1024

type Read = { done: true; value: undefined } | { done: false; value: Uint8Array }
type Waiting = { resolve: (read: Read) => void; reject: (error: unknown) => void }

const done: Read = { done: true, value: undefined }

/** The body of an answer, read as fast as it is asked for and no faster; as much of a ReadableStream as readers use. */
export class LeanBody {
  readonly #answer: IncomingMessage
  readonly #queue: Buffer[] = []
  #queuedBytes = 0
  #waiting: Waiting | null = null
  #ended = false
  #trouble: { why: unknown } | null = null

  /** `onOver` is called once, when nothing more will come. */
  constructor(answer: IncomingMessage, onOver: () => void) {
    this.#answer = answer
    answer.on('data', (chunk: Buffer) => this.#take(chunk))
    answer.on('end', () => {
      this.#ended = true
      onOver()
      this.#waiting?.resolve(done)
      this.#waiting = null
    })
    answer.on('error', (why) => this.fail(why))
    answer.on('close', () => {
      onOver()
      if (!this.#ended) this.fail(new Error('the answer was cut off'))
    })
  }

  getReader(): { read: () => Promise<Read>; cancel: () => Promise<void>; releaseLock: () => void } {
    return { read: () => this.#read(), cancel: () => this.cancel(), releaseLock: () => {} }
  }

  async cancel(): Promise<void> {
    this.#ended = true
    this.#answer.destroy()
  }

  /** Ends it for whoever reads, now or later. */
  fail(why: unknown): void {
    this.#trouble ??= { why }
    this.#waiting?.reject(this.#trouble.why)
    this.#waiting = null
  }

  async whole(): Promise<Buffer> {
    const pieces: Uint8Array[] = []
    for (let read = await this.#read(); !read.done; read = await this.#read()) pieces.push(read.value)
    return Buffer.concat(pieces)
  }

  #take(chunk: Buffer): void {
    if (this.#waiting) {
      this.#waiting.resolve({ done: false, value: chunk })
      this.#waiting = null
      return
    }
    this.#queuedBytes += chunk.length
    this.#queue.push(chunk)
    if (this.#queuedBytes > mostQueuedBytes) this.#answer.pause()
  }

  #read(): Promise<Read> {
    if (this.#trouble) return Promise.reject(this.#trouble.why)
    const chunk = this.#queue.shift()
    if (chunk) {
      this.#queuedBytes -= chunk.length
      if (this.#queue.length === 0 && this.#answer.isPaused()) this.#answer.resume()
      return Promise.resolve({ done: false, value: chunk })
    }
    if (this.#ended) return Promise.resolve(done)
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }
}

import { Worker } from 'node:worker_threads'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { Fault } from '@farhand/protocol/wire/faults'
import { limits } from '@farhand/protocol/wire/limits'
import type { Assemble, Assembled } from './patched-files.ts'
import { workerSource } from './worker-source.ts'

// Its remembered checksums are only worth their memory while large files are being changed.
const idleMs = 10 * 60_000

/** Makes large blobs from patches in a separate thread, so that the hub's main thread is not blocked. The thread starts with the first patch. */
export class Assembler {
  readonly #source: () => Promise<string>
  #thread: Promise<Thread> | null = null
  #idle: NodeJS.Timeout | null = null
  #count = 0
  #bytes = 0

  constructor(source = workerSource) {
    this.#source = source
  }

  /**
   * Writes into an existing file and returns the hash of the result; null if the base is too short. Throws `hub.busy` at once if too
   * many patches wait already.
   */
  async assemble(what: Assemble): Promise<BlobHash | null> {
    const { length } = what.patch
    if (this.#count === limits.patchesWaiting || this.#bytes + length > limits.patchBytesWaiting) {
      throw new Fault('hub.busy', 'too many patches wait already; try again shortly, or send the whole')
    }
    if (this.#idle) clearTimeout(this.#idle)
    this.#count++
    this.#bytes += length
    let thread: Thread | null = null
    try {
      thread = await this.#begun()
      return await thread.ask(what)
    } finally {
      this.#count--
      this.#bytes -= length
      if (thread && this.#count === 0) this.#rest(thread)
    }
  }

  async close(): Promise<void> {
    if (this.#idle) clearTimeout(this.#idle)
    const thread = this.#thread
    this.#thread = null
    await (await thread?.catch(() => null))?.end()
  }

  /** The idle thread does not keep the process running. */
  #rest(thread: Thread): void {
    thread.rest()
    this.#idle = setTimeout(() => void this.close(), idleMs).unref()
  }

  /** The current thread. If it could not start or has ended, a new one is started. */
  #begun(): Promise<Thread> {
    if (this.#thread) return this.#thread
    const forget = () => {
      if (this.#thread === thread) this.#thread = null
    }
    const thread = this.#source().then((source) => new Thread(source, forget))
    thread.catch(forget)
    this.#thread = thread
    return thread
  }
}

type Waiting = { resolve: (hash: BlobHash | null) => void; reject: (error: Error) => void }

/** One start of the thread, with the calls that wait for it. A later start does not affect them. */
class Thread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lost: Error | null = null
  #ids = 0

  constructor(source: string, onLost: () => void) {
    this.#worker = new Worker(source, { eval: true, execArgv: [] })
    const lost = (error: Error) => {
      this.#lost ??= error
      onLost()
      for (const { reject } of this.#waiting.values()) reject(error)
    }
    this.#worker.on('message', ({ id, ...answer }: Assembled & { id: number }) => {
      const waiting = this.#waiting.get(id)
      if ('hash' in answer) waiting?.resolve(answer.hash)
      else waiting?.reject(Object.assign(new Error(answer.failed), { code: answer.code }))
    })
    this.#worker.on('error', lost)
    this.#worker.on('exit', () => lost(new Error('the thread that puts blobs together has ended')))
  }

  async ask(what: Assemble): Promise<BlobHash | null> {
    // An ended thread would never answer.
    if (this.#lost) throw this.#lost
    const id = ++this.#ids
    this.#worker.ref()
    try {
      return await new Promise<BlobHash | null>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject })
        this.#worker.postMessage({ id, ...what })
      })
    } finally {
      this.#waiting.delete(id)
    }
  }

  rest(): void {
    this.#worker.unref()
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}

import { Worker } from 'node:worker_threads'
import type { BlobHash } from '@farhand/protocol/blob-hash'
import type { Assemble, Assembled } from './patched-files.ts'
import { workerSource } from './worker-source.ts'

type Waiting = { resolve: (hash: BlobHash | null) => void; reject: (error: Error) => void }

// What it remembers is worth its memory only while someone works on large files.
const idleMs = 10 * 60_000

/** Puts large blobs together in a thread of its own, so that nobody waits for it. The thread begins with the first. */
export class Assembler {
  readonly #waiting = new Map<number, Waiting>()
  #worker: Promise<Worker> | null = null
  #idle: NodeJS.Timeout | null = null
  #ids = 0

  /** Writes into a file that is there already, and says what was written; null if the base is too short. */
  async assemble(what: Assemble): Promise<BlobHash | null> {
    if (this.#idle) clearTimeout(this.#idle)
    this.#worker ??= this.#begin()
    const worker = await this.#worker
    const id = ++this.#ids
    worker.ref()
    try {
      return await new Promise<BlobHash | null>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject })
        worker.postMessage({ id, ...what })
      })
    } finally {
      this.#waiting.delete(id)
      if (this.#waiting.size === 0) this.#rest(worker)
    }
  }

  async close(): Promise<void> {
    if (this.#idle) clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = null
    await (await worker)?.terminate()
  }

  /** A process that has nothing else to do ends all the same. */
  #rest(worker: Worker): void {
    worker.unref()
    this.#idle = setTimeout(() => void this.close(), idleMs).unref()
  }

  async #begin(): Promise<Worker> {
    const worker = new Worker(await workerSource(), { eval: true, execArgv: [] })
    const lost = (error: Error) => {
      this.#worker = null
      for (const { reject } of this.#waiting.values()) reject(error)
    }
    worker.on('message', ({ id, ...answer }: Assembled & { id: number }) => {
      const waiting = this.#waiting.get(id)
      if ('hash' in answer) waiting?.resolve(answer.hash)
      else waiting?.reject(Object.assign(new Error(answer.failed), { code: answer.code }))
    })
    worker.on('error', lost)
    worker.on('exit', () => lost(new Error('the thread that puts blobs together has ended')))
    return worker
  }
}

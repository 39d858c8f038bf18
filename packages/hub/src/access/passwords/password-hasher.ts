import { Worker } from 'node:worker_threads'
import { Fault } from '@farhand/protocol/wire/faults'
import { workerSource } from './worker-source.ts'

/** With a hash, a password is compared with it; without, it is hashed. */
export type ToHash = { password: string; hash: string | null }
export type Hashed = { hash: string } | { isRight: boolean } | { failed: string }

/** Of no password: comparing with it takes as long as with a real one. */
const ofNoUser =
  '$argon2id$v=19$m=19456,t=2,p=1$8T3mJ0rVq1mBzKpWc5yXgA$uZ0o3yq7mW1sC9xV4bN6tR8kL2jH5gF0dS7aP3iU1eY'
const mostWaiting = 16
const idleMs = 60_000

type Waiting = { resolve: (answer: Hashed) => void; reject: (error: Error) => void }

/**
 * Hashes passwords in a thread of its own, one at a time: however many strangers try passwords, the hub's main thread goes on and one
 * core is the most it takes. The thread starts with the first password and ends when none comes for a while.
 */
export class PasswordHasher {
  readonly #waiting = new Map<number, Waiting>()
  #thread: Promise<Worker> | null = null
  #idle: NodeJS.Timeout | null = null
  #ids = 0

  async hash(password: string): Promise<string> {
    const answer = await this.#ask({ password, hash: null })
    if ('hash' in answer) return answer.hash
    throw new Error('the thread that hashes passwords compared one instead')
  }

  /** Whether this is the password of the hash. With null, for an unknown user, it is false, after the same time. */
  async isRight(password: string, hash: string | null): Promise<boolean> {
    const answer = await this.#ask({ password, hash: hash ?? ofNoUser })
    return hash !== null && 'isRight' in answer && answer.isRight
  }

  async close(): Promise<void> {
    if (this.#idle) clearTimeout(this.#idle)
    const thread = this.#thread
    this.#thread = null
    await (await thread?.catch(() => null))?.terminate()
  }

  async #ask(what: ToHash): Promise<Hashed> {
    if (this.#waiting.size >= mostWaiting)
      throw new Fault('hub.busy', 'too many passwords wait to be checked; try again shortly')
    if (this.#idle) clearTimeout(this.#idle)
    const id = ++this.#ids
    try {
      const answer = await new Promise<Hashed>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject })
        this.#begun().then((thread) => {
          thread.ref()
          thread.postMessage({ id, ...what })
        }, reject)
      })
      if ('failed' in answer) throw new Error(answer.failed)
      return answer
    } finally {
      this.#waiting.delete(id)
      if (this.#waiting.size === 0) await this.#rest()
    }
  }

  /** The idle thread does not keep the process running. */
  async #rest(): Promise<void> {
    const thread = await this.#thread?.catch(() => null)
    if (this.#waiting.size > 0) return
    thread?.unref()
    if (this.#idle) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.close(), idleMs).unref()
  }

  /** The running thread. One that could not start, or ended, is replaced by the next call. */
  #begun(): Promise<Worker> {
    if (this.#thread) return this.#thread
    const begun = workerSource().then((source) => this.#start(source))
    this.#thread = begun
    begun.catch(() => this.#lost(begun, new Error('the thread that hashes passwords could not start')))
    return begun
  }

  #start(source: string): Worker {
    const worker = new Worker(source, { eval: true, execArgv: [] })
    const begun = this.#thread
    worker.on('message', ({ id, ...answer }: Hashed & { id: number }) => {
      this.#waiting.get(id)?.resolve(answer)
    })
    worker.on('error', (error) => this.#lost(begun, error))
    worker.on('exit', () => this.#lost(begun, new Error('the thread that hashes passwords has ended')))
    return worker
  }

  #lost(thread: Promise<Worker> | null, error: Error): void {
    if (thread === null || this.#thread !== thread) return
    this.#thread = null
    for (const { reject } of this.#waiting.values()) reject(error)
  }
}

import { sleep } from '@farhand/kit/sleep'
import type { StoredEvent } from '@farhand/protocol/wire/event'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { Logger } from 'pino'
import type { EventLog } from '../log/event-log.ts'
import {
  type Callback,
  callbacksOf,
  noteSent,
  removeCallback,
  runsWithCallbacks,
} from '../store/callbacks.ts'
import type { Db } from '../store/tables.ts'
import { AddressRefused } from './outbound-post.ts'
import { signedPost } from './signed-post.ts'
import { type OpenMessage, type WebHookCall, webHookCalls } from './web-hook-calls.ts'

export type WebHooksParts = {
  db: Db
  log: EventLog
  logger: Logger
  allowPrivate: boolean
  /** How long to wait before each further try of a call; it is given up after the last. */
  pausesMs?: readonly number[]
}

const chunkBytes = 256 * 1024
export const usualPausesMs = [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000]

/** Calls the web hooks of runs, each in the order of its log. A hook that does not answer delays only itself. */
export class WebHooks {
  readonly #parts: WebHooksParts
  readonly #runs = new Set<RunId>()
  /** The position of each hook in its log, so that the log is not read again for each chunk of a message. */
  readonly #places = new Map<string, { after: number; open: OpenMessage | null }>()
  readonly #working = new Map<string, { again: boolean }>()
  readonly #stopped = new AbortController()
  #unsubscribe = () => {}

  constructor(parts: WebHooksParts) {
    this.#parts = parts
  }

  /** Starts, and makes the calls for events from while no hub was running. */
  async start(): Promise<void> {
    this.#unsubscribe = this.#parts.log.onAnyGrowth((run) => {
      if (this.#runs.has(run)) this.registered(run)
    })
    for (const run of await runsWithCallbacks(this.#parts.db)) this.registered(run)
  }

  /** Must be called when a run has new web hooks or new events. */
  registered(run: RunId): void {
    this.#runs.add(run)
    callbacksOf(this.#parts.db, run)
      .then((all) => {
        for (const hook of all) this.#work(run, hook)
      })
      .catch((err) => this.#trouble(err, run))
  }

  stop(): void {
    this.#unsubscribe()
    this.#stopped.abort()
  }

  #work(run: RunId, hook: Callback): void {
    const key = keyOf(run, hook)
    const working = this.#working.get(key)
    if (working) {
      working.again = true
      return
    }
    const one = { again: false }
    this.#working.set(key, one)
    this.#tell(run, hook)
      .catch((err) => this.#trouble(err, run))
      .finally(() => {
        this.#working.delete(key)
        if (one.again && !this.#stopped.signal.aborted) this.registered(run)
      })
  }

  async #tell(run: RunId, hook: Callback): Promise<void> {
    const { db, log } = this.#parts
    if (hook.sentTo === null) return await noteSent(db, run, hook.url, (await log.head(run)).lastId)
    const key = keyOf(run, hook)
    for (let place = this.#places.get(key) ?? { after: hook.sentTo, open: null }; ; ) {
      const chunk = await log.read(run, place.after, chunkBytes)
      if (!chunk || this.#stopped.signal.aborted) return
      const lines = chunk.bytes.toString().split('\n').slice(0, -1)
      const fold = webHookCalls(
        lines.map((line) => JSON.parse(line) as StoredEvent),
        place.open,
      )
      for (const call of fold.calls) {
        if (!hook.events.includes(call.event)) continue
        if (!(await this.#deliver(run, hook, call))) return void this.#places.delete(key)
        await noteSent(db, run, hook.url, call.settled)
      }
      place = { after: chunk.lastId, open: fold.open }
      this.#places.set(key, place)
      await noteSent(db, run, hook.url, place.open ? place.open.firstId - 1 : place.after)
    }
  }

  /** False if no further calls should be made to this hook now. */
  async #deliver(run: RunId, hook: Callback, call: WebHookCall): Promise<boolean> {
    const { logger, db, pausesMs = usualPausesMs } = this.#parts
    const { signal } = this.#stopped
    for (const pauseMs of [...pausesMs, null]) {
      const answered = await this.#post(run, hook, call).catch((error: unknown) => error as Error)
      if (signal.aborted) return false
      if (answered instanceof AddressRefused) {
        logger.warn({ run, err: answered }, 'a web hook is not called')
        return true
      }
      if (!(answered instanceof Error)) {
        if (answered.status < 300) return true
        if (answered.status === 410) {
          await removeCallback(db, run, hook.url)
          return false
        }
      }
      if (pauseMs === null) break
      const askedMs = answered instanceof Error ? 0 : Math.min(answered.retryAfterMs, 1_800_000)
      await sleep(Math.max(pauseMs, askedMs), { signal }).catch(() => {})
      if (signal.aborted) return false
    }
    logger.warn({ run, event: call.id }, 'a web hook did not accept an event; the next events will be sent')
    return true
  }

  #post(run: RunId, hook: Callback, { event, id, timestamp, about }: WebHookCall) {
    const { allowPrivate } = this.#parts
    const { signal } = this.#stopped
    return signedPost(
      hook,
      { id: String(id), about: { event, id, run, timestamp, ...about } },
      { allowPrivate, signal },
    )
  }

  #trouble(err: unknown, run: RunId): void {
    if (!this.#stopped.signal.aborted)
      this.#parts.logger.error({ err, run }, 'handling web hooks failed; it is tried again at the next event')
  }
}

const keyOf = (run: RunId, { url }: Callback) => `${run} ${url}`

import type { RunId } from '@farhand/protocol/wire/ids'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { RunCache } from './run-cache.ts'

const eventsAtOnce = 500
const laterMs = 2000

/**
 * Hands events to a cache a while later and some at a time: to write each of a stream by itself would keep a phone busy, and
 * whoever has just opened a long run wants to see it first.
 */
export class CacheWriter {
  readonly #cache: RunCache
  readonly #run: RunId
  #waiting: SeenEvent[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(cache: RunCache, run: RunId) {
    this.#cache = cache
    this.#run = run
  }

  add(events: readonly SeenEvent[]): void {
    this.#waiting.push(...events)
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => void this.flush(), laterMs)
  }

  /** Resolves when all that was added is written, or forgotten. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const events = this.#waiting
    this.#waiting = []
    // One after the other: what comes behind a gap would not be taken.
    for (let from = 0; from < events.length; from += eventsAtOnce) {
      const some = events.slice(from, from + eventsAtOnce)
      this.#writing = this.#writing.then(() => this.#cache.add(this.#run, some))
    }
    return this.#writing
  }

  /** Forgets what was not written yet. */
  drop(): void {
    this.#waiting = []
  }
}

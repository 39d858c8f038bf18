import type { RunId } from '@farhand/protocol/wire/ids'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { RunCache } from './run-cache.ts'

const eventsAtOnce = 500
const laterMs = 2000

/**
 * Writes events to a cache later and in batches: writing each event would keep a phone busy, and a user who opens a
 * long run wants to see it first.
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

  /** Resolves when all added events are written or dropped. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const events = this.#waiting
    this.#waiting = []
    // One after the other, because the cache refuses events after a gap.
    for (let from = 0; from < events.length; from += eventsAtOnce) {
      const some = events.slice(from, from + eventsAtOnce)
      this.#writing = this.#writing.then(() => this.#cache.add(this.#run, some))
    }
    return this.#writing
  }

  /** Drops events that are not written yet. */
  drop(): void {
    this.#waiting = []
  }
}

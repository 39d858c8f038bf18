import { longestTimerMs } from '@farhand/kit/sleep'

/** Many times at which something is to be looked at, and one timer for the nearest of them. */
export class Alarm<Key> {
  readonly #ring: (key: Key) => void
  readonly #due = new Map<Key, number>()
  #timer: NodeJS.Timeout | undefined
  readonly #now: () => number
  #at = Number.POSITIVE_INFINITY

  constructor(ring: (key: Key) => void, now: () => number = Date.now) {
    this.#ring = ring
    this.#now = now
  }

  /** Rings at this time (of its clock) instead of the one before; null is never. */
  set(key: Key, at: number | null): void {
    if (at === null) this.#due.delete(key)
    else this.#due.set(key, at)
    if (at !== null && at < this.#at) this.#arm(at)
    if (this.#due.size === 0) this.stop()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#at = Number.POSITIVE_INFINITY
  }

  #arm(at: number): void {
    clearTimeout(this.#timer)
    this.#at = at
    const ms = Math.min(Math.max(0, at - this.#now()), longestTimerMs)
    this.#timer = setTimeout(() => this.#look(), ms).unref()
  }

  #look(): void {
    this.#at = Number.POSITIVE_INFINITY
    const now = this.#now()
    const due = [...this.#due].filter(([, at]) => at <= now)
    for (const [key] of due) this.#due.delete(key)
    for (const [key] of due) this.#ring(key)
    const next = Math.min(...this.#due.values())
    if (Number.isFinite(next) && next < this.#at) this.#arm(next)
  }
}

import { longestTimerMs } from '@farhand/kit/sleep'

/** Keeps a due time for each key, with a single timer for the nearest one. */
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

  /** Sets the due time of a key, by the clock that was given, in place of its earlier one; null removes it. */
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

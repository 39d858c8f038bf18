import { IdleDetector } from './idle-detector.ts'

const lookEveryMs = 1_000

/**
 * Calls back once a thread is idle after much work, which `workedMs` measures; `wasActive` says that it may be at work again.
 * One that only does a little now and then is never called back, and an idle one runs no timer.
 */
export class WhenIdle {
  readonly #timer: NodeJS.Timeout
  readonly #rest: () => Promise<void>
  readonly #workedMs: () => number
  readonly #watch = new IdleDetector()
  #isLooking = true
  /** A start leaves much behind, however little it did. */
  #hasRested = false

  constructor(rest: () => Promise<void>, workedMs: () => number) {
    this.#rest = rest
    this.#workedMs = workedMs
    this.#timer = setTimeout(() => this.#look(), lookEveryMs)
    this.#timer.unref()
  }

  wasActive(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    this.#timer.refresh()
  }

  end(): void {
    // To refresh a timer would start it anew.
    this.#isLooking = true
    clearTimeout(this.#timer)
  }

  #look(): void {
    const found = this.#watch.look(this.#workedMs())
    this.#isLooking = found === 'at work'
    if (this.#isLooking) this.#timer.refresh()
    else if (found === 'much done' || !this.#hasRested) {
      this.#hasRested = true
      void this.#rest().then(() => this.#watch.rested(this.#workedMs()))
    }
  }
}

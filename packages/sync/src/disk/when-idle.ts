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

/** A process that used no more than this between two looks is idle. */
const restMs = 50
/** Less work than this leaves nothing behind that would be worth the trouble. */
const workMs = 500

/** Decides from the processor time of a process whether it is idle now, and whether it did much work before. */
export class IdleDetector {
  #atLookMs = 0
  /** What it has done since it rested, without what it did in passing. */
  #workMs = 0

  /** What to make of this much work in all: it goes on, it is over and was little, or it is over and was much. */
  look(cpuMs: number): 'at work' | 'nothing done' | 'much done' {
    const sinceMs = cpuMs - this.#atLookMs
    this.#atLookMs = cpuMs
    if (sinceMs < restMs) return this.#workMs > workMs ? 'much done' : 'nothing done'
    this.#workMs += sinceMs
    return 'at work'
  }

  /** What it took to tidy up is no work. */
  rested(cpuMs: number): void {
    this.#workMs = 0
    this.#atLookMs = cpuMs
  }
}

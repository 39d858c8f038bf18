import process from 'node:process'

const lookEveryMs = 1_000
/** A process that did no more than this between two looks is at rest. */
const restMs = 50
/** Less work than this leaves nothing behind that would be worth the trouble. */
const workMs = 500

/**
 * Calls back once this process is at rest after much work; `stirred` says that it may be at work again. Whoever is only
 * asked for a little now and then is never called, and while nothing stirs nobody looks.
 */
export class OnceAtRest {
  readonly #timer: NodeJS.Timeout
  readonly #rest: () => Promise<void>
  readonly #cpuMs: () => number
  #atLookMs = 0
  #atRestMs = 0
  #isLooking = true

  constructor(rest: () => Promise<void>, cpuMs = processCpuMs, everyMs = lookEveryMs) {
    this.#rest = rest
    this.#cpuMs = cpuMs
    this.#timer = setTimeout(() => this.#look(), everyMs)
    this.#timer.unref()
  }

  stirred(): void {
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
    const nowMs = this.#cpuMs()
    const isAtRest = nowMs - this.#atLookMs < restMs
    this.#atLookMs = nowMs
    this.#isLooking = !isAtRest
    if (!isAtRest) this.#timer.refresh()
    else if (nowMs - this.#atRestMs > workMs)
      void this.#rest().then(() => {
        // What that took itself is no work.
        this.#atRestMs = this.#cpuMs()
        this.#atLookMs = this.#atRestMs
      })
  }
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

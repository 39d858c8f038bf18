import type { Online } from '@farhand/client/requests/online'
import { type Clocks, sleptMs } from '@farhand/kit/slept'

const tickMs = 5_000
// Less than this and no connection has died of it.
const busyMs = 5_000

const clocks = (): Clocks => ({ wall: Date.now(), steady: performance.now() })

/**
 * A machine that wakes up finds its connections dead without a word, and its timers where they were. As the network of a
 * reader this hangs up and calls again at once.
 */
export class WakeDetector implements Online {
  readonly #rings = new Set<() => void>()
  readonly #timer: NodeJS.Timeout
  #last: Clocks
  #isAwake = true

  constructor(look: () => Clocks = clocks, everyMs = tickMs) {
    this.#last = look()
    const tick = () => {
      const now = look()
      const slept = sleptMs(this.#last, now, tickMs, busyMs)
      this.#last = now
      if (slept > 0) this.#wake()
    }
    this.#timer = setInterval(tick, everyMs).unref()
  }

  // Both are passed on without what they belong to.
  readonly now = () => this.#isAwake

  readonly onChange = (ring: () => void) => {
    this.#rings.add(ring)
    return () => void this.#rings.delete(ring)
  }

  end(): void {
    clearInterval(this.#timer)
  }

  /** For a moment there is no network; whoever waits for the next try need not. */
  #wake(): void {
    for (const isAwake of [false, true]) {
      this.#isAwake = isAwake
      for (const ring of [...this.#rings]) ring()
    }
  }
}

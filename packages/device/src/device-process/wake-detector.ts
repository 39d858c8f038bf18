import type { Online } from '@farhand/client/requests/online'
import { type Clocks, sleptMs } from '@farhand/kit/time-asleep'

const tickMs = 5_000
// A shorter sleep does not break connections.
const busyMs = 5_000

const clocks = (): Clocks => ({ wall: Date.now(), steady: performance.now() })

/**
 * Detects that the machine was asleep: connections are dead then without an error, and timers late. As the `Online` of
 * a reader it makes it reconnect at once.
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

  // Bound functions, because they are passed on without the object.
  readonly now = () => this.#isAwake

  readonly onChange = (ring: () => void) => {
    this.#rings.add(ring)
    return () => void this.#rings.delete(ring)
  }

  end(): void {
    clearInterval(this.#timer)
  }

  /** Reports offline and then online, so that readers reconnect without waiting. */
  #wake(): void {
    for (const isAwake of [false, true]) {
      this.#isAwake = isAwake
      for (const ring of [...this.#rings]) ring()
    }
  }
}

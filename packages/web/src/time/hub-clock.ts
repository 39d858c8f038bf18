import type { Fetch } from '@farhand/client/requests/hub'
import { isEarlyResponse } from '../early-requests/early-responses.ts'

/** Clocks that differ by less are right, as far as can be told here: a hub says its time in whole seconds. */
const closeMs = 3000
/** An answer that took longer, or that came while the device slept, says only between which two times it is now. */
const quickMs = 3000
/** A hub leaves out what is less than this. */
const wholeMs = 1000

/**
 * What time it is at the hub. All times of a log are by that clock: on a device whose own one is wrong, a question with
 * a minute left would seem to be over.
 */
export class HubClock {
  readonly #now: () => number
  #aheadMs = 0

  constructor(now: () => number = () => Date.now()) {
    this.#now = now
  }

  now = (): number => this.#now() - this.#aheadMs

  /** Listens to what a hub answers with. */
  listening(plain: Fetch = fetch): Fetch {
    const asking: typeof fetch = async (input, init) => {
      const askedAt = this.#now()
      const answer = await plain(input, init)
      if (!isEarlyResponse(answer)) this.#hear(answer.headers.get('date'), askedAt)
      return answer
    }
    return Object.assign(asking, plain.takesPieces && { takesPieces: true as const })
  }

  #hear(date: string | null, askedAt: number): void {
    const now = this.#now()
    const mostMs = now - Date.parse(date ?? '')
    // Somebody may have set the clock back meanwhile.
    if (Number.isNaN(mostMs) || now < askedAt - quickMs) return
    if (now - askedAt <= quickMs) {
      this.#aheadMs = Math.abs(mostMs) < closeMs ? 0 : mostMs
      return
    }
    const leastMs = mostMs - (now - askedAt) - wholeMs
    if (this.#aheadMs < leastMs || this.#aheadMs > mostMs) this.#aheadMs = (leastMs + mostMs) / 2
  }
}

/** The clock of the hub that this page came from. */
export const hubClock = new HubClock()

import type { Fetch } from '@farhand/client/requests/hub'
import { isEarlyResponse } from '../early-requests/early-responses.ts'

/** Clocks that differ by less count as equal, because a hub sends its time in whole seconds. */
const closeMs = 3000
/** A slower response, or one during which the device slept, gives only a range for the hub's time. */
const quickMs = 3000
/** The hub cuts off fractions of a second. */
const wholeMs = 1000

/**
 * The hub's clock. All times in a log are by that clock: on a device with a wrong clock, a question with a minute
 * left would seem to be over.
 */
export class HubClock {
  readonly #now: () => number
  #aheadMs = 0

  constructor(now: () => number = () => Date.now()) {
    this.#now = now
  }

  now = (): number => this.#now() - this.#aheadMs

  /** Wraps `fetch` to read the time from each response. */
  wrapFetch(plain: Fetch = fetch): Fetch {
    const asking: typeof fetch = async (input, init) => {
      const askedAt = this.#now()
      const answer = await plain(input, init)
      if (!isEarlyResponse(answer)) this.#readDate(answer.headers.get('date'), askedAt)
      return answer
    }
    return Object.assign(asking, plain.takesPieces && { takesPieces: true as const })
  }

  #readDate(date: string | null, askedAt: number): void {
    const now = this.#now()
    const mostMs = now - Date.parse(date ?? '')
    // The user may have set the device's clock back meanwhile.
    if (Number.isNaN(mostMs) || now < askedAt - quickMs) return
    if (now - askedAt <= quickMs) {
      this.#aheadMs = Math.abs(mostMs) < closeMs ? 0 : mostMs
      return
    }
    const leastMs = mostMs - (now - askedAt) - wholeMs
    if (this.#aheadMs < leastMs || this.#aheadMs > mostMs) this.#aheadMs = (leastMs + mostMs) / 2
  }
}

/** The clock of the hub that served this page. */
export const hubClock = new HubClock()

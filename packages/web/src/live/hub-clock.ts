import type { Fetch } from '@farhand/client/hub'

/** Clocks that differ by less are right, as far as can be told here: a hub says its time in whole seconds. */
const closeMs = 3000
/** An answer that took longer, or that came while the device slept, says little of what time it is now. */
const quickMs = 3000

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
      this.#hear(answer.headers.get('date'), askedAt)
      return answer
    }
    return Object.assign(asking, plain.takesPieces && { takesPieces: true as const })
  }

  #hear(date: string | null, askedAt: number): void {
    const now = this.#now()
    const aheadMs = now - Date.parse(date ?? '')
    if (Number.isNaN(aheadMs) || Math.abs(now - askedAt) > quickMs) return
    this.#aheadMs = Math.abs(aheadMs) < closeMs ? 0 : aheadMs
  }
}

/** The clock of the hub that this page came from. */
export const hubClock = new HubClock()

const windowMs = 60_000
const mostRemembered = 10_000

/** Counts by address who has tried in vain: no more than so often in a minute, and then a minute later again. */
export class FailedAttempts {
  readonly #most: number
  readonly #tries = new Map<string, { count: number; until: number }>()

  constructor(most = 20) {
    this.#most = most
  }

  /** Whether this address has tried too often. */
  isTooMany(address: string, nowMs: number): boolean {
    const tries = this.#tries.get(address)
    return tries !== undefined && tries.until > nowMs && tries.count >= this.#most
  }

  note(address: string, nowMs: number): void {
    const tries = this.#tries.get(address)
    if (tries && tries.until > nowMs) {
      tries.count += 1
      return
    }
    // Addresses are easily had by the thousand; codes are too long to be guessed by all of them together.
    if (this.#tries.size >= mostRemembered) this.#tries.clear()
    this.#tries.set(address, { count: 1, until: nowMs + windowMs })
  }
}

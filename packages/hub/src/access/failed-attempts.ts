const windowMs = 60_000
const mostRemembered = 10_000

/** Counts failed attempts by address; after too many in a minute, the address has to wait for the next minute. */
export class FailedAttempts {
  readonly #most: number
  readonly #tries = new Map<string, { count: number; until: number }>()

  constructor(most = 20) {
    this.#most = most
  }

  /** Whether this address has failed too often. */
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
    // An attacker can get thousands of addresses, but codes are too long to guess even with all of them.
    if (this.#tries.size >= mostRemembered) this.#tries.clear()
    this.#tries.set(address, { count: 1, until: nowMs + windowMs })
  }
}

const windowMs = 60_000
const perWindow = 5
const firstLockMs = 60_000
/** How long attempts that are being checked may take. */
const underWayMs = 1000
const quietMs = 24 * 3600_000
const mostRemembered = 10_000

type Attempts = { wrongAt: number[]; underWay: number; locks: number; lockedUntil: number; lastMs: number }

/**
 * Counts wrong passwords under a key, which is a user name or an address: five in a minute lock it for a minute, and each further lock
 * lasts twice as long, up to `longestLockMs`. After a day without attempts the next lock is short again.
 */
export class PasswordAttempts {
  readonly #longestLockMs: number
  readonly #attempts = new Map<string, Attempts>()

  constructor(longestLockMs: number) {
    this.#longestLockMs = longestLockMs
  }

  /**
   * Begins an attempt and returns 0, or returns for how many ms none is allowed. Counted before the password is checked: of many
   * attempts at the same moment only five are checked.
   */
  begin(key: string, nowMs: number): number {
    const one = this.#of(key, nowMs)
    if (one.lockedUntil > nowMs) return one.lockedUntil - nowMs
    one.wrongAt = one.wrongAt.filter((at) => nowMs - at < windowMs)
    if (one.wrongAt.length + one.underWay >= perWindow) return underWayMs
    one.underWay += 1
    return 0
  }

  /** Each attempt that began must end. `untried`: the password was not checked. */
  end(key: string, how: 'right' | 'wrong' | 'untried', nowMs: number): void {
    const one = this.#attempts.get(key)
    if (!one) return
    one.underWay = Math.max(0, one.underWay - 1)
    if (how !== 'wrong') return
    one.wrongAt.push(nowMs)
    if (one.wrongAt.length < perWindow) return
    one.lockedUntil = nowMs + Math.min(this.#longestLockMs, firstLockMs * 2 ** Math.min(one.locks, 20))
    one.locks += 1
    one.wrongAt = []
  }

  /** Forgives what was wrong before. Not for an address: a user who knows one password could try others' without end. */
  forget(key: string): void {
    this.#attempts.delete(key)
  }

  #of(key: string, nowMs: number): Attempts {
    const known = this.#attempts.get(key)
    const isKnown = known && nowMs - known.lastMs < quietMs
    const one = isKnown ? known : { wrongAt: [], underWay: 0, locks: 0, lockedUntil: 0, lastMs: nowMs }
    one.lastMs = nowMs
    // New keys push out those that were not tried for longest.
    this.#attempts.delete(key)
    if (this.#attempts.size >= mostRemembered) this.#attempts.delete(this.#attempts.keys().next().value!)
    this.#attempts.set(key, one)
    return one
  }
}

const afterActivityMs = 45_000
const whenIdleMs = 600_000
const whenBlindMs = 3000
const burst = 4000
const quietMs = 250

/**
 * When to scan everything again, because watches may have missed something. Events get lost only when there are too
 * many at once, so there is one scan soon after each burst, and one some time after any activity; nothing happens in
 * an idle folder except once in ten minutes, for file systems that others change behind our back. A scan that takes
 * long comes less often: scanning after activity costs at most 1 % of a processor, idle 0.1 %, and without watches 5 %.
 */
export class Rescans {
  readonly #begin: () => void
  #timer: NodeJS.Timeout | null = null
  #dueMs = Number.POSITIVE_INFINITY
  #hints = 0
  #lastHintMs = 0
  #isScanning = true
  #costMs = 0

  constructor(begin: () => void) {
    this.#begin = begin
  }

  /** Something was hinted at. */
  hinted(): void {
    const nowMs = performance.now()
    if (nowMs - this.#lastHintMs > quietMs) this.#hints = 0
    this.#lastHintMs = nowMs
    if (++this.#hints > burst) this.#within(quietMs)
    else if (this.#hints === 1) this.#within(Math.max(afterActivityMs, 100 * this.#costMs))
  }

  /** Some work was done; once there is no more of it, a scan that was begun has ended. */
  worked(tookMs: number, isBusy: boolean, isBlind: boolean): void {
    if (this.#isScanning) {
      this.#costMs += tookMs
      if (isBusy) return
      this.#isScanning = false
    } else if (!isBlind) return
    // Also when it has only become blind now, long after the last scan.
    this.#within(
      isBlind ? Math.max(whenBlindMs, 20 * this.#costMs) : Math.max(whenIdleMs, 1000 * this.#costMs),
    )
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#dueMs = Number.NEGATIVE_INFINITY
  }

  #within(ms: number): void {
    const dueMs = performance.now() + ms
    if (this.#dueMs <= dueMs || this.#isScanning) return
    this.#dueMs = dueMs
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#fire(), ms)
  }

  #fire(): void {
    const sinceHintMs = performance.now() - this.#lastHintMs
    this.#dueMs = Number.POSITIVE_INFINITY
    // In the middle of a burst it would have to be done again.
    if (this.#hints > burst && sinceHintMs < quietMs) {
      this.#within(quietMs)
      return
    }
    this.#hints = 0
    this.#isScanning = true
    this.#costMs = 0
    this.#begin()
  }
}

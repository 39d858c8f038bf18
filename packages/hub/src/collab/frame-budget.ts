import { frameLimits } from '@farhand/protocol/schemas/device-frames'

/** How many frames one socket may still send: a bucket that fills with time. */
export class FrameBudget {
  #left: number = frameLimits.burst
  #at: number

  constructor(nowMs: number) {
    this.#at = nowMs
  }

  /** Takes one frame; false if there were too many. */
  take(nowMs: number): boolean {
    const { perSecond, burst } = frameLimits
    this.#left = Math.min(burst, this.#left + (Math.max(0, nowMs - this.#at) / 1000) * perSecond)
    this.#at = nowMs
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}

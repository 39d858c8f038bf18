const atOnce = 100
const gapMs = 50
const oneMoreEveryMs = 20
const longestGapMs = 2000
const quietMs = 100
/** Reading a file that changes all the time takes no more than a tenth of the time. */
const gapForCost = 10

type Pacing = { left: number; atMs: number; gapMs: number; isThrottled: boolean }

/**
 * How often one path may be reported. Many changes in a row are reported at once, and so is one now and then; a file that
 * changes all the time is reported less and less often, every two seconds in the end. A file that is slow to read uses up
 * more of its allowance.
 */
export class ReportPace {
  readonly #paths = new Map<string, Pacing>()

  /** When this path may be reported again; a time that has passed means now. */
  dueAt(path: string, nowMs: number): number {
    const pacing = this.#paths.get(path)
    if (!pacing || leftAt(pacing, nowMs) >= 1) return nowMs
    pacing.isThrottled = true
    return pacing.atMs + pacing.gapMs
  }

  /** Notes that the path was reported, and how long reading it took. */
  reported(path: string, nowMs: number, costMs = 0): void {
    const before = this.#paths.get(path)
    const left = before ? leftAt(before, nowMs) : atOnce
    const isThrottled = left < 1
    const gap = before?.isThrottled && isThrottled ? Math.min(before.gapMs * 2, longestGapMs) : gapMs
    const ownGapMs = Math.min(gapForCost * costMs, longestGapMs)
    this.#paths.set(path, {
      left: Math.max(left - 1, 0) - ownGapMs / oneMoreEveryMs,
      atMs: nowMs,
      gapMs: Math.max(gap, ownGapMs),
      isThrottled,
    })
    if (this.#paths.size > 1000) this.#forget(nowMs)
  }

  #forget(nowMs: number): void {
    for (const [path, pacing] of this.#paths) {
      if (leftAt(pacing, nowMs) >= atOnce || this.#paths.size > 10_000) this.#paths.delete(path)
    }
  }
}

function leftAt({ left, atMs, gapMs, isThrottled }: Pacing, nowMs: number): number {
  // A clock that was set back must not hold a path back.
  if (nowMs < atMs) return atOnce
  // Changed again by the time it may be reported again: the writer has not stopped.
  if (isThrottled && nowMs < atMs + gapMs + quietMs) return 0
  return Math.min(atOnce, left + (nowMs - atMs) / oneMoreEveryMs)
}

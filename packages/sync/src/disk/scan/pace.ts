const atOnce = 100
const gapMs = 50
const oneMoreEveryMs = 20
const longestGapMs = 2000
const quietMs = 100
/** Whoever reads a file without end spends no more than a tenth of the time on it. */
const gapForCost = 10

type Pacing = { left: number; atMs: number; gapMs: number; isThrottled: boolean }

/**
 * How often one path may be spoken of. Many changes in a row go at once, and so does one every now and then; a file
 * that changes without end is heard of ever less often, every two seconds in the end. What is dear to look at uses up
 * more of that than what is not.
 */
export class Pace {
  readonly #paths = new Map<string, Pacing>()

  /** When this path may be spoken of again; a time that has come means now. */
  dueAt(path: string, nowMs: number): number {
    const pacing = this.#paths.get(path)
    if (!pacing || leftAt(pacing, nowMs) >= 1) return nowMs
    pacing.isThrottled = true
    return pacing.atMs + pacing.gapMs
  }

  /** Notes that it was spoken of, and what that cost: what is dear to look at is looked at less often. */
  spoke(path: string, nowMs: number, costMs = 0): void {
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
  // A clock that was set back must not keep a path silent.
  if (nowMs < atMs) return atOnce
  // Changed again by the time it may be spoken of again: it has not stopped.
  if (isThrottled && nowMs < atMs + gapMs + quietMs) return 0
  return Math.min(atOnce, left + (nowMs - atMs) / oneMoreEveryMs)
}

const atOnce = 100
const gapMs = 50
const oneMoreEveryMs = 20
const longestGapMs = 2000

type Pacing = { left: number; atMs: number; gapMs: number }

/**
 * How often one path may be spoken of. A few changes in a row go at once, and so does one every now and then; a file
 * that changes without end is heard of ever less often, every two seconds in the end.
 */
export class Pace {
  readonly #paths = new Map<string, Pacing>()

  /** When this path may be spoken of again; a time in the past means now. */
  dueAt(path: string, nowMs: number): number {
    const pacing = this.#paths.get(path)
    if (!pacing || leftAt(pacing, nowMs) >= 1) return nowMs
    return pacing.atMs + pacing.gapMs
  }

  /** Notes that it was spoken of, and what that cost: what is dear to look at is looked at less often. */
  spoke(path: string, nowMs: number, costMs = 0): void {
    const pacing = this.#paths.get(path) ?? { left: atOnce, atMs: nowMs, gapMs }
    const left = leftAt(pacing, nowMs)
    if (left >= atOnce) pacing.gapMs = gapMs
    else if (left < 1) pacing.gapMs = Math.min(pacing.gapMs * 2, longestGapMs)
    pacing.gapMs = Math.max(pacing.gapMs, Math.min(10 * costMs, longestGapMs))
    pacing.left = Math.max(left - 1, 0)
    pacing.atMs = nowMs
    this.#paths.set(path, pacing)
    if (this.#paths.size > 1000) this.#forget(nowMs)
  }

  #forget(nowMs: number): void {
    for (const [path, pacing] of this.#paths) {
      if (leftAt(pacing, nowMs) >= atOnce || this.#paths.size > 10_000) this.#paths.delete(path)
    }
  }
}

// A clock that was set back must not keep a path silent.
const leftAt = ({ left, atMs }: Pacing, nowMs: number) =>
  nowMs < atMs ? atOnce : Math.min(atOnce, left + (nowMs - atMs) / oneMoreEveryMs)

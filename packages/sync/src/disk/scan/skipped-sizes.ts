const firstWaitMs = 1000

type Size = { said: number; seen: number; dueMs: number; waitMs: number }

/**
 * How large the files are that are left for their size. One is often noticed in the middle of being written: its size is
 * due again once it has stopped growing, and for one that grows without end twice as late each time.
 */
export class SkippedSizes {
  readonly #sizes = new Map<string, Size>()

  /** This size was reported. */
  reported(path: string, size: number): void {
    const waitMs = this.#sizes.get(path)?.waitMs ?? firstWaitMs
    this.#sizes.set(path, { said: size, seen: size, dueMs: Number.POSITIVE_INFINITY, waitMs })
  }

  /** It has this size now. */
  measured(path: string, size: number, nowMs: number): void {
    const known = this.#sizes.get(path)
    if (!known || known.seen === size) return
    known.seen = size
    known.dueMs = size === known.said ? Number.POSITIVE_INFINITY : nowMs + known.waitMs
  }

  forget(path: string): void {
    this.#sizes.delete(path)
  }

  /** Takes the sizes that are due to be reported. */
  take(nowMs: number): { path: string; size: number }[] {
    const due: { path: string; size: number }[] = []
    for (const [path, size] of this.#sizes) {
      if (size.dueMs > nowMs) continue
      due.push({ path, size: size.seen })
      size.waitMs *= 2
      this.reported(path, size.seen)
    }
    return due
  }

  get nextMs(): number {
    let next = Number.POSITIVE_INFINITY
    for (const { dueMs } of this.#sizes.values()) if (dueMs < next) next = dueMs
    return next
  }
}

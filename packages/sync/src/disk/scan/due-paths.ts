/** Paths that are to be looked at later, each at its own time. */
export class DuePaths {
  readonly #due = new Map<string, number>()

  /** A path waits once: asked again, it is due at the earlier time. */
  add(path: string, dueMs: number): void {
    const before = this.#due.get(path)
    if (before === undefined || dueMs < before) this.#due.set(path, dueMs)
  }

  delete(path: string): boolean {
    return this.#due.delete(path)
  }

  has(path: string): boolean {
    return this.#due.has(path)
  }

  get size(): number {
    return this.#due.size
  }

  paths(): Iterable<string> {
    return this.#due.keys()
  }

  /** Those that are due, which wait no longer. */
  take(nowMs: number): string[] {
    const due: string[] = []
    for (const [path, dueMs] of this.#due) if (dueMs <= nowMs) due.push(path)
    for (const path of due) this.#due.delete(path)
    return due
  }

  /** When the next one is due; infinity if none waits. */
  get nextMs(): number {
    let next = Number.POSITIVE_INFINITY
    for (const dueMs of this.#due.values()) if (dueMs < next) next = dueMs
    return next
  }
}

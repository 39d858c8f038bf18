/** Names in the order they came, each once. */
export class PathQueue {
  readonly #names = new Set<string>()
  // Kept from one time to the next: a new one would step over everything that was ever taken.
  #at = this.#names.values()

  get size(): number {
    return this.#names.size
  }

  add(name: string): void {
    this.#names.add(name)
  }

  take(): string | undefined {
    let next = this.#at.next()
    if (next.done) {
      this.#at = this.#names.values()
      next = this.#at.next()
    }
    if (next.done) return undefined
    this.#names.delete(next.value)
    return next.value
  }
}

/**
 * Things that may happen together, and one that must happen alone, separately for each key. Being alone never waits:
 * whoever wants it while others are busy is told so and can come back later.
 */
export class KeyedLock {
  readonly #shared = new Map<string, number>()
  readonly #exclusive = new Map<string, Promise<unknown>>()

  /** Runs beside others of the same key, after the one that is alone with it, if there is one. */
  async shared<Result>(key: string, act: () => Promise<Result>): Promise<Result> {
    return this.sharedAll([key], act)
  }

  /** As `shared`, for several keys at once. */
  async sharedAll<Result>(keys: readonly string[], act: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const others = keys.flatMap((key) => this.#exclusive.get(key) ?? [])
      if (others.length === 0) break
      // Their failure is their callers'; here it only matters that they are over.
      await Promise.allSettled(others)
    }
    for (const key of keys) this.#shared.set(key, (this.#shared.get(key) ?? 0) + 1)
    try {
      return await act()
    } finally {
      for (const key of keys) this.#letGo(key)
    }
  }

  #letGo(key: string): void {
    const left = this.#shared.get(key)! - 1
    if (left > 0) this.#shared.set(key, left)
    else this.#shared.delete(key)
  }

  /** Runs while nobody else is busy with this key, or does nothing and says 'busy'. */
  async exclusive<Result>(key: string, act: () => Promise<Result>): Promise<Result | 'busy'> {
    if (this.#shared.has(key) || this.#exclusive.has(key)) return 'busy'
    // Begins only when the key is marked: what it calls at once must already find it taken.
    const acting = Promise.resolve().then(act)
    this.#exclusive.set(key, acting)
    try {
      return await acting
    } finally {
      this.#exclusive.delete(key)
    }
  }
}

/**
 * A lock with shared and exclusive use, separately for each key. Exclusive use never waits: if the key is in use, the
 * caller gets 'busy' and can try again later.
 */
export class KeyedLock {
  readonly #shared = new Map<string, number>()
  readonly #exclusive = new Map<string, Promise<unknown>>()

  /** Runs beside other shared uses of the key, after an exclusive use has ended. */
  async shared<Result>(key: string, act: () => Promise<Result>): Promise<Result> {
    return this.sharedAll([key], act)
  }

  /** As `shared`, for several keys at once. */
  async sharedAll<Result>(keys: readonly string[], act: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const others = keys.flatMap((key) => this.#exclusive.get(key) ?? [])
      if (others.length === 0) break
      // Their own callers handle their failures; here it only matters that they have ended.
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

  /** Runs if this key is not in use; otherwise does nothing and returns 'busy'. */
  async exclusive<Result>(key: string, act: () => Promise<Result>): Promise<Result | 'busy'> {
    if (this.#shared.has(key) || this.#exclusive.has(key)) return 'busy'
    // Starts only after the key is marked as used: what `act` calls at once must already find it locked.
    const acting = Promise.resolve().then(act)
    this.#exclusive.set(key, acting)
    try {
      return await acting
    } finally {
      this.#exclusive.delete(key)
    }
  }
}

/** Callers that wait until the events read from a log make a condition true. */
export class ReadConditions {
  readonly #checks = new Set<() => void>()

  /** An event was read: resolves the conditions that it has made true. */
  check(): void {
    for (const check of this.#checks) check()
  }

  /** Resolves when the condition is true, or on an abort. */
  until(isTrue: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!isTrue() && !signal.aborted) return
        this.#checks.delete(check)
        signal.removeEventListener('abort', check)
        resolve()
      }
      this.#checks.add(check)
      signal.addEventListener('abort', check)
      check()
    })
  }
}

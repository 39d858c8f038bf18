/** A queue of items for one consumer. */
export class InputQueue<Item> {
  readonly #items: Item[] = []
  #isOver = false
  #wake = () => {}

  add(item: Item): void {
    this.#items.push(item)
    this.#wake()
  }

  /** No more items will come; queued ones are still delivered. */
  end(): void {
    this.#isOver = true
    this.#wake()
  }

  /** All items, until the end or the signal. */
  async *items(signal: AbortSignal): AsyncGenerator<Item> {
    const stop = () => this.#wake()
    signal.addEventListener('abort', stop)
    try {
      while (!signal.aborted) {
        const item = this.#items.shift()
        if (item !== undefined) yield item
        else if (this.#isOver) return
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
      }
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
}

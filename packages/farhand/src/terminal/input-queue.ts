/** Things that come up at any time, for one who takes them one after the other. */
export class InputQueue<Item> {
  readonly #items: Item[] = []
  #isOver = false
  #wake = () => {}

  add(item: Item): void {
    this.#items.push(item)
    this.#wake()
  }

  /** Nothing more comes; what is there is still given. */
  end(): void {
    this.#isOver = true
    this.#wake()
  }

  /** Everything from now on, until the end or this signal. */
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

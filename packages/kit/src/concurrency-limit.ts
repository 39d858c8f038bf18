/** Lets at most `width` run at once; the others wait their turn, in order. */
export class ConcurrencyLimit {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(width: number) {
    this.#free = width
  }

  async run<Result>(act: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((enter) => this.#waiting.push(enter))
    try {
      return await act()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}

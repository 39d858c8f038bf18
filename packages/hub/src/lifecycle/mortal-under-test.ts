/** What a process does until it is killed; from then on nothing it waits for ever comes. */
export class Mortal {
  deeds = 0
  isDead = false
  #die = () => {}
  readonly death = new Promise<void>((resolve) => {
    this.#die = resolve
  })
  readonly #at: { deed: number; when: 'before' | 'after' } | null

  constructor(at: { deed: number; when: 'before' | 'after' } | null) {
    this.#at = at
  }

  wrap<Deed extends (...args: never[]) => Promise<unknown>>(deed: Deed): Deed {
    return (async (...args: Parameters<Deed>) => {
      if (this.isDead) return this.#never()
      const isLast = ++this.deeds === this.#at?.deed
      if (isLast && this.#at?.when === 'before') return this.#never()
      const result = await deed(...args)
      if (isLast) return this.#never()
      return this.isDead ? this.#never() : result
    }) as Deed
  }

  #never(): Promise<never> {
    this.isDead = true
    this.#die()
    return new Promise(() => {})
  }
}

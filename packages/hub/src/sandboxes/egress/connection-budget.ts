/** One sandbox's share of the connections; how many are left depends on the other sandboxes too. */
export type ConnectionShare = {
  /** Takes one connection, given back when it closes; false if none is left. */
  take(line: { once(event: 'close', back: () => void): unknown }): boolean
  isFull(): boolean
}

/** Limits the connections of all sandboxes together, so that the hub keeps descriptors for its files. */
export class ConnectionBudget {
  readonly #most: number
  #taken = 0

  constructor(most: number) {
    this.#most = most
  }

  /** For one sandbox, which gets at most half of them, so that the others can still reach the hub. */
  share(): ConnectionShare {
    let own = 0
    const isFull = () => this.#taken >= this.#most || own >= Math.max(16, this.#most / 2)
    return {
      isFull,
      take: (line) => {
        if (isFull()) return false
        own++
        this.#taken++
        line.once('close', () => {
          own--
          this.#taken--
        })
        return true
      },
    }
  }
}

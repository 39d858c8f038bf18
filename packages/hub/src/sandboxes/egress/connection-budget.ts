/** The connections of one gate: how many more there may be depends on those of the others, too. */
export type Lines = {
  /** Takes one, which is given back when `line` closes; false if there is none left. */
  take(line: { once(event: 'close', back: () => void): unknown }): boolean
  isFull(): boolean
}

/** Connections that all gates of a hub have together, so that sandboxes leave it descriptors for its files. */
export class ConnectionBudget {
  readonly #most: number
  #taken = 0

  constructor(most: number) {
    this.#most = most
  }

  /** For one gate, which gets half of them at most: the others have to reach their hub, too. */
  share(): Lines {
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

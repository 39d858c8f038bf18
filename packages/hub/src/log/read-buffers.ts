/**
 * Buffers for readers that are behind, each lent for one read. New ones for every read would be garbage at once, and
 * hundreds of readers that lag would make it faster than it is collected.
 */
export class ReadBuffers {
  readonly #bytes: number
  readonly #free: Buffer[] = []
  #unmade: number

  constructor(count: number, bytes: number) {
    this.#unmade = count
    this.#bytes = bytes
  }

  /** One that is free, or undefined: then the reader does with less. */
  take(): Buffer | undefined {
    const free = this.#free.pop()
    if (free || this.#unmade === 0) return free
    this.#unmade--
    return Buffer.allocUnsafeSlow(this.#bytes)
  }

  giveBack(buffer: Buffer): void {
    this.#free.push(buffer)
  }
}

/**
 * A pool of buffers for readers that are behind, each lent for one read. With hundreds of such readers, new buffers for every read would
 * be allocated faster than they are garbage collected.
 */
export class ReadBuffers {
  readonly #bytes: number
  readonly #free: Buffer[] = []
  #unmade: number

  constructor(count: number, bytes: number) {
    this.#unmade = count
    this.#bytes = bytes
  }

  /** A free buffer, or undefined; then the reader reads less at once. */
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

/** How far the large contents are that travel in one direction. */
export type Transferred = { bytes: number; of: number }

/** Adds up what is on its way now; whoever carries a content says how far it is, and when that is over. */
export class TransferProgress {
  readonly #moved: () => void
  readonly #contents = new Map<(bytes: number) => void, Transferred>()

  constructor(moved: () => void) {
    this.#moved = moved
  }

  /** To be called as the bytes of a content of this size move. It counts from the first call on. */
  start(size: number): (bytes: number) => void {
    const at = (bytes: number) => {
      this.#contents.set(at, { bytes, of: size })
      this.#moved()
    }
    return at
  }

  /** It has arrived, or will not. */
  end(at: ((bytes: number) => void) | undefined): void {
    if (at) this.#contents.delete(at)
  }

  /** Null if nothing large is on its way. */
  get now(): Transferred | null {
    if (this.#contents.size === 0) return null
    const sum = { bytes: 0, of: 0 }
    for (const { bytes, of } of this.#contents.values()) {
      sum.bytes += Math.min(bytes, of)
      sum.of += of
    }
    return sum
  }
}

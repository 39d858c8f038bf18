/** How far the large contents are that travel in one direction. */
export type Transferred = { bytes: number; of: number }

/** Adds up the large contents that are being transferred now; each transfer reports how far it is, and its end. */
export class TransferProgress {
  readonly #moved: () => void
  readonly #contents = new Map<(bytes: number) => void, Transferred>()

  constructor(moved: () => void) {
    this.#moved = moved
  }

  /** Returns what to call with the number of bytes transferred. The content counts from the first call on. */
  start(size: number): (bytes: number) => void {
    const at = (bytes: number) => {
      this.#contents.set(at, { bytes, of: size })
      this.#moved()
    }
    return at
  }

  /** The content has arrived, or never will. */
  end(at: ((bytes: number) => void) | undefined): void {
    if (at) this.#contents.delete(at)
  }

  /** Null if no large content is being transferred. */
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

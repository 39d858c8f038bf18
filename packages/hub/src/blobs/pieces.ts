/** Bytes in the pieces in which they came, read as if they were one buffer: joining megabytes costs as much as receiving them. */
export class Pieces {
  readonly length: number
  readonly #pieces: readonly Uint8Array[]
  // The position of the last read: the next one usually follows it.
  #nth = 0
  #begins = 0

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces
    let length = 0
    for (const piece of pieces) length += piece.length
    this.length = length
  }

  /** `length` bytes from `at` on, in order and not copied. The caller must check that there are so many. */
  views(at: number, length: number): Uint8Array[] {
    this.#seek(at)
    const views: Uint8Array[] = []
    let nth = this.#nth
    let from = at - this.#begins
    for (let left = length; left > 0; from = 0) {
      const piece = this.#pieces[nth++]!
      const taken = Math.min(left, piece.length - from)
      if (taken > 0) views.push(taken === piece.length ? piece : piece.subarray(from, from + taken))
      left -= taken
    }
    return views
  }

  /** As `views`, in one piece, copied only if necessary. */
  bytes(at: number, length: number): Buffer {
    const views = this.views(at, length)
    if (views.length > 1) return Buffer.concat(views, length)
    const [only] = views
    return only ? Buffer.from(only.buffer, only.byteOffset, only.length) : Buffer.alloc(0)
  }

  #seek(at: number): void {
    if (at < this.#begins) {
      this.#nth = 0
      this.#begins = 0
    }
    for (;;) {
      const piece = this.#pieces[this.#nth]
      if (!piece || at < this.#begins + piece.length) return
      this.#begins += piece.length
      this.#nth++
    }
  }
}

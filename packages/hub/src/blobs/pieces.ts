/** Bytes in the pieces they came in, read as if they were one: to put megabytes together costs as much as to get them. */
export class Pieces {
  readonly length: number
  readonly #pieces: readonly Uint8Array[]
  // Where the last question was about: the next one is usually about what follows.
  #nth = 0
  #begins = 0

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces
    let length = 0
    for (const piece of pieces) length += piece.length
    this.length = length
  }

  /** The bytes from `at` on, in order and not copied. There must be so many. */
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

  /** The same in one piece, copied only if it has to be. */
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

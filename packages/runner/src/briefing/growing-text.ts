import { partOf } from '@farhand/protocol/text/plain-text'

/** Text that comes in pieces; only its beginning and end are kept. */
export class GrowingText {
  #head = ''
  #tail = ''
  #length = 0
  readonly #mostHead: number
  readonly #mostTail: number

  constructor(mostHead: number, mostTail: number) {
    this.#mostHead = mostHead
    this.#mostTail = mostTail
  }

  add(text: string): void {
    this.#length += text.length
    const room = this.#mostHead - this.#head.length
    if (text.length <= room) {
      this.#head += text
      return
    }
    if (room > 0) this.#head += partOf(text, 0, room)
    if (this.#mostTail === 0) return
    this.#tail += text.slice(room)
    // Not with each piece: copying the end for every word would slow down a fast agent.
    if (this.#tail.length > 4 * this.#mostTail) this.#tail = partOf(this.#tail, -this.#mostTail)
  }

  toString(): string {
    const tail = this.#mostTail === 0 ? '' : this.#tail.slice(-this.#mostTail)
    const missing = this.#length - this.#head.length - tail.length
    const gap = missing > 0 ? `… (${missing.toLocaleString('en')} characters are left out) …` : ''
    return `${this.#head}${gap}${tail}`.toWellFormed()
  }
}

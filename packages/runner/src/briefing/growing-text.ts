/** Text that comes in pieces, of which the beginning and the end are kept. */
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
    this.#head += text.slice(0, room)
    if (text.length > room) this.#tail = (this.#tail + text.slice(room)).slice(-this.#mostTail)
  }

  toString(): string {
    const missing = this.#length - this.#head.length - this.#tail.length
    const gap = missing > 0 ? `… (${missing.toLocaleString('en')} characters are left out) …` : ''
    return `${this.#head}${gap}${this.#tail}`.toWellFormed()
  }
}

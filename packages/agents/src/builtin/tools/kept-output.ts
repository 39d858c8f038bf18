/** Keeps the beginning and the end of long output: errors are in one of them. */
export class KeptOutput {
  readonly #most: number
  #head = ''
  #tail = ''
  #length = 0

  constructor(most: number) {
    this.#most = most
  }

  add(text: string): void {
    this.#length += text.length
    const room = this.#most / 2 - this.#head.length
    this.#head += text.slice(0, Math.max(room, 0))
    const rest = text.slice(Math.max(room, 0))
    this.#tail = (this.#tail + rest).slice(-this.#most / 2)
  }

  get text(): string {
    const left = this.#length - this.#head.length - this.#tail.length
    return left > 0
      ? `${this.#head}\n… ${left} characters left out …\n${this.#tail}`
      : this.#head + this.#tail
  }
}

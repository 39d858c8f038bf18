type Row = { text: string; isBroken: boolean }

/** What a terminal obeys, or else one character. */
const pieces = new RegExp(`${String.fromCharCode(0x1b)}\\[([?\\d]*)([A-Za-z])|([\\s\\S])`, 'g')

/** A simulated terminal that shows what was written. It wraps lines again when its window changes. */
export class PaperUnderTest {
  #rows: Row[] = [{ text: '', isBroken: false }]
  #row = 0
  #column = 0
  /** The first row that is not out of reach above the window. */
  #top = 0
  #width: number
  #height: number
  #isWrapping = true

  constructor(width: number, height: number) {
    this.#width = width
    this.#height = height
  }

  /** The lines above the cursor's row, each as it was written. */
  get above(): string[] {
    return this.#lines(0, this.#row).map(({ text }) => text)
  }

  /** The rows from the cursor's on. */
  get below(): string[] {
    return this.#rows.slice(this.#row).map(({ text }) => text)
  }

  get column(): number {
    return this.#column
  }

  write(text: string): void {
    for (const [, params = '', final = '', char] of text.matchAll(pieces))
      if (char === undefined) this.#obey(final, params)
      else if (char === '\r') this.#column = 0
      else if (char === '\n') this.#down()
      else this.#put(char)
  }

  /** Removes first the rows below the cursor, then those at the top; then wraps lines that are too long. */
  resize(width: number, height: number): void {
    while (this.#rows.length - this.#top > height && this.#rows.length - 1 > this.#row) this.#rows.pop()
    const rows: Row[] = []
    let at = 0
    for (const { text, count } of this.#lines(0, this.#rows.length)) {
      const isHere = this.#row >= at && this.#row < at + count
      const offset = isHere ? (this.#row - at) * this.#width + this.#column : 0
      const pieces = Math.max(1, Math.ceil(text.length / width), Math.floor(offset / width) + 1)
      if (isHere) {
        at = Number.POSITIVE_INFINITY
        this.#row = rows.length + Math.floor(offset / width)
        this.#column = offset % width
      } else at += count
      for (let piece = 0; piece < pieces; piece += 1)
        rows.push({
          text: text.slice(piece * width, (piece + 1) * width),
          isBroken: piece < pieces - 1,
        })
    }
    this.#rows = rows
    this.#width = width
    this.#height = height
    this.#top = Math.max(0, rows.length - height)
    // A cursor that would be out of reach is in the first row that is not.
    if (this.#row < this.#top) {
      this.#row = this.#top
      this.#column = 0
    }
  }

  #lines(from: number, to: number): { text: string; count: number }[] {
    const lines: { text: string; count: number }[] = []
    let isGoingOn = false
    for (const { text, isBroken } of this.#rows.slice(from, to)) {
      const last = lines.at(-1)
      if (isGoingOn && last) {
        last.text = last.text.padEnd(last.count * this.#width) + text
        last.count += 1
      } else lines.push({ text, count: 1 })
      isGoingOn = isBroken
    }
    return lines
  }

  #obey(final: string, params: string): void {
    const here = this.#rows[this.#row]!
    const by = Number(params || 1)
    if (final === 'A') this.#row = Math.max(this.#top, this.#row - by)
    if (final === 'C') this.#column = Math.min(this.#width - 1, this.#column + by)
    if (final === 'K') Object.assign(here, { text: '', isBroken: false })
    if (final === 'H') [this.#row, this.#column] = [this.#top, 0]
    if (final === 'J' && params === '2')
      for (const row of this.#rows.slice(this.#top)) Object.assign(row, { text: '', isBroken: false })
    else if (final === 'J') {
      Object.assign(here, { text: here.text.slice(0, this.#column), isBroken: false })
      this.#rows.length = this.#row + 1
    }
    if (params === '?7') this.#isWrapping = final === 'h'
    else if (!params.startsWith('?') && !'ACHKJm'.includes(final)) throw new Error(`not known: ${final}`)
  }

  #down(): void {
    this.#row += 1
    while (this.#rows.length <= this.#row) this.#rows.push({ text: '', isBroken: false })
    this.#top = Math.max(this.#top, this.#row - this.#height + 1)
  }

  #put(char: string): void {
    if (this.#column === this.#width) {
      if (this.#isWrapping) {
        this.#rows[this.#row]!.isBroken = true
        this.#down()
        this.#column = 0
      } else this.#column -= 1
    }
    const here = this.#rows[this.#row]!
    here.text =
      here.text.slice(0, this.#column).padEnd(this.#column) + char + here.text.slice(this.#column + 1)
    this.#column += 1
  }
}

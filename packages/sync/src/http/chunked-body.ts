// Chunk sizes and their extensions: real servers write a few characters.
const mostLineLength = 4096
const lineFeed = 10

/** Takes the chunks of a body apart. */
export class ChunkedBody {
  #part: 'size' | 'bytes' | 'after' | 'trailer' | 'over' = 'size'
  #left = 0
  #line = ''

  get isOver(): boolean {
    return this.#part === 'over'
  }

  /**
   * What these bytes hold of the body, in one piece, and how many of them belong to it. The piece lies within the
   * bytes that were given, whose other content is lost: no other memory is needed, however many chunks there are.
   */
  take(bytes: Buffer): { piece: Buffer; used: number } {
    let at = 0
    let from = 0
    let to = 0
    while (at < bytes.length && this.#part !== 'over') {
      if (this.#part !== 'bytes') {
        at = this.#readLine(bytes, at)
        continue
      }
      const count = Math.min(this.#left, bytes.length - at)
      if (to === from) {
        from = at
        to = at
      } else bytes.copyWithin(to, at, at + count)
      to += count
      at += count
      this.#left -= count
      if (this.#left === 0) this.#part = 'after'
    }
    return { piece: bytes.subarray(from, to), used: at }
  }

  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(lineFeed, at)
    this.#line += bytes.toString('latin1', at, end < 0 ? bytes.length : end)
    if (this.#line.length > mostLineLength) throw new Error('invalid answer: a chunk without a size')
    if (end < 0) return bytes.length
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line
    this.#line = ''
    this.#next(line)
    return end + 1
  }

  #next(line: string): void {
    if (this.#part === 'size') {
      const size = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i.exec(line)?.[1]
      if (size === undefined) throw new Error(`invalid chunk size: ${line.slice(0, 80)}`)
      this.#left = Number.parseInt(size, 16)
      this.#part = this.#left > 0 ? 'bytes' : 'trailer'
    } else if (this.#part === 'after') {
      if (line !== '') throw new Error('invalid answer: a chunk is longer than its size')
      this.#part = 'size'
    } else if (line === '') this.#part = 'over'
  }
}

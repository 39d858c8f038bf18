import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Frame, frameUpdate, noFrame, reflowUpdate } from './live-region.ts'
import { textWidth } from './text-width.ts'

/** As much of a terminal as is needed to see what was written: endless, and of any width. */
class Paper {
  readonly rows: string[] = ['']
  row = 0
  column = 0

  write(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys
    for (const [, params = '', final = '', char] of text.matchAll(/\x1b\[([?\d]*)([A-Za-z])|([\s\S])/g))
      if (char === undefined) this.#obey(final, Number(params || 1))
      else if (char === '\r') this.column = 0
      else if (char === '\n') this.#down(1)
      else this.#put(char)
  }

  #obey(final: string, by: number): void {
    const here = this.rows[this.row]!
    if (final === 'A') this.row -= by
    if (final === 'B') this.#down(by)
    if (final === 'C') this.column += by
    if (final === 'K') this.rows[this.row] = here.slice(0, this.column)
    if (final === 'J') {
      this.rows[this.row] = here.slice(0, this.column)
      this.rows.length = this.row + 1
    }
    if (this.row < 0) throw new Error('above the first line')
  }

  #down(by: number): void {
    this.row += by
    while (this.rows.length <= this.row) this.rows.push('')
  }

  #put(char: string): void {
    const here = this.rows[this.row]!.padEnd(this.column)
    this.rows[this.row] = here.slice(0, this.column) + char + here.slice(this.column + 1)
    this.column += 1
  }
}

const frameOf = (lines: readonly string[], row: number, column: number): Frame => ({
  lines: lines.map((text) => ({ text, width: textWidth(text) })),
  row,
  column,
})

const frames = fc
  .array(fc.stringMatching(/^[a-d]{0,6}$/), { minLength: 1, maxLength: 4 })
  .chain((lines) =>
    fc
      .tuple(fc.nat(lines.length - 1), fc.nat(6))
      .map(([row, column]) => frameOf(lines, row, Math.min(column, lines[row]!.length))),
  )
const aboves = fc.array(fc.stringMatching(/^[x-z]{0,6}$/), { maxLength: 3 })

describe('the bottom of the window', () => {
  it('is what it should be after any change, and what was said above it stays there in order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(frames, aboves), { maxLength: 8 }), (steps) => {
        const paper = new Paper()
        const said: string[] = []
        let before = noFrame
        for (const [next, above] of steps) {
          paper.write(frameUpdate(before, next, above))
          said.push(...above)
          before = next
          expect(paper.rows).toEqual([...said, ...next.lines.map(({ text }) => text)])
          expect([paper.row, paper.column]).toEqual([said.length + next.row, next.column])
        }
        paper.write(frameUpdate(before, noFrame, []))
        expect(paper.rows).toEqual([...said, ''])
      }),
    )
  })

  it('is not written again where it stays the same', () => {
    const before = frameOf(['a spinner', '> typed'], 1, 3)
    expect(frameUpdate(before, before, [])).toBe('')
    const turned = frameOf(['b spinner', '> typed'], 1, 3)
    expect(frameUpdate(before, turned, [])).not.toContain('typed')
    expect(frameUpdate(before, { ...before, column: 4 }, [])).toBe('\r\x1b[4C')
  })

  it('is found again after the terminal has broken its lines anew', () => {
    // 12 columns become 5: the first line takes three rows, and the cursor is in the second row of the other.
    const before = frameOf(['abcdefghijk', '> typed'], 1, 7)
    const paper = new Paper()
    paper.write('above\r\nabcde\r\nfghij\r\nk\r\n> typ\r\ned')
    paper.write(reflowUpdate(before, frameOf(['abc', '> t'], 1, 3), ['more'], 5))
    expect(paper.rows).toEqual(['above', 'more', 'abc', '> t'])
  })
})

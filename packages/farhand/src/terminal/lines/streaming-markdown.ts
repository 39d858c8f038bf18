import { inlineMarkdown } from './inline-markdown.ts'
import { type Cell, cellsOf, type Line, spansOf } from './styled-line.ts'
import { wrapCells } from './wrap-cells.ts'

type Block = {
  first: Cell[]
  /** The prefix of its further lines. */
  further: Cell[]
  cells: Cell[]
  settled: number
  isCode: boolean
}

/** Longer lines come from programs, and are finished piece by piece. */
const longest = 4_000
/** The most that is shown of one line. */
const mostShown = 64 * 1024
// `.*` with the s flag: if some character could not match, the regular expression would backtrack.
const heading = /^(#{1,6}) +(.*)$/s
const item = /^(\s*)([-*+]|\d{1,4}[.)]) +(.*)$/s
const quote = /^ {0,3}> ?(.*)$/s
const language = /^[\w+#.-]{0,20}$/
const rule = /^ {0,3}([-*_])(?: *\1){2,} *$/

/** Turns streamed markdown into terminal lines. A finished line never changes. */
export class StreamingMarkdown {
  readonly #keepsMarks: boolean
  readonly #style: string | null
  #source = ''
  /** The full length of the unfinished line. */
  #lineLength = 0
  /** How many cells of the unfinished line are already printed. */
  #shown = 0
  #fence: string | null = null
  #isAfterBlank: boolean

  /** With a style, all text is shown in that style, without markdown. */
  constructor(keepsMarks: boolean, { style = null as string | null, isCut = true } = {}) {
    this.#keepsMarks = keepsMarks
    this.#style = style
    this.#isAfterBlank = isCut
  }

  /** Adds text and returns the finished lines. */
  take(text: string, width: number): Line[] {
    const done: Line[] = []
    const give = (lines: readonly Line[]) => {
      for (const line of lines) done.push(line)
    }
    for (let from = 0; from <= text.length; ) {
      const newline = text.indexOf('\n', from)
      const end = newline === -1 ? text.length : newline
      this.#add(text.slice(from, Math.min(end, from + mostShown + 1)), end - from)
      if (newline !== -1 || this.#source.length > longest) {
        for (const piece of pieces(this.#source)) give(this.#whole(piece, width))
        this.#source = ''
      }
      if (newline === -1) break
      give(this.#cutNote())
      from = newline + 1
    }
    give(this.#settled(width))
    return done
  }

  /** Adds to the unfinished line, up to a limit: drawing more would take long, and the user does not read it. */
  #add(text: string, length: number): void {
    const room = Math.max(0, mostShown - this.#lineLength)
    this.#source += text.slice(0, room).replaceAll('\t', '    ')
    this.#lineLength += length
  }

  /** A note on how much of a finished line is not shown. */
  #cutNote(): Line[] {
    const left = this.#lineLength - mostShown
    this.#lineLength = 0
    return left > 0
      ? [[{ text: `… and ${left.toLocaleString('en')} more characters in this line`, style: 'dim' }]]
      : []
  }

  /** The unfinished line; it may still change. */
  open(width: number): Line[] {
    if (this.#source === '') return []
    return this.#lines(this.#block(this.#source, false, width), width).map(({ line }) => line)
  }

  /** Ends the text and returns the remaining lines. */
  end(width: number): Line[] {
    const line = this.#source
    this.#source = ''
    return [...(line === '' ? [] : this.#whole(line, width)), ...this.#cutNote()]
  }

  #whole(source: string, width: number): Line[] {
    if (source.trim() === '' && this.#fence === null && this.#shown === 0) {
      const isFirst = !this.#isAfterBlank
      this.#isAfterBlank = true
      return isFirst ? [[]] : []
    }
    const found = this.#style === null ? fenceIn(source) : null
    if (found && this.#shown === 0 && (this.#fence === null || isEndOf(this.#fence, found))) {
      const isBegin = this.#fence === null
      this.#fence = isBegin ? found.mark : null
      // A language name is not shown. A longer text after the fence is content.
      return isBegin && !language.test(found.info) ? this.#whole(found.info, width) : []
    }
    const lines = this.#lines(this.#block(source, true, width), width).map(({ line }) => line)
    this.#shown = 0
    this.#isAfterBlank = false
    return lines
  }

  /** The rows of the unfinished line that cannot change any more. */
  #settled(width: number): Line[] {
    if (this.#source === '') return []
    const block = this.#block(this.#source, false, width)
    const lines = this.#lines(block, width)
    const over: Line[] = []
    for (const { line, end } of lines.slice(0, -1)) {
      if (end >= block.settled) break
      over.push(line)
      this.#shown = end
    }
    if (over.length > 0) this.#isAfterBlank = false
    return over
  }

  #lines({ first, further, cells, isCode }: Block, width: number): { line: Line; end: number }[] {
    const room = width - further.reduce((sum, cell) => sum + cell.width, 0)
    const lines = wrapCells(cells.slice(this.#shown), room, isCode)
    return lines.map(({ cells, end }, at) => ({
      line: spansOf([...(at === 0 && this.#shown === 0 ? first : further), ...cells]),
      end: this.#shown + end,
    }))
  }

  #block(source: string, isWhole: boolean, width: number): Block {
    const none: Cell[] = []
    if (this.#style !== null) {
      const cells = cellsOf(source, this.#style)
      return { first: none, further: none, cells, settled: cells.length - 1, isCode: false }
    }
    if (this.#fence !== null) return codeLine(source)
    if (/^\s*\|/.test(source)) return { ...codeLine(source, ''), first: none, further: none }
    if (rule.test(source) && isWhole) {
      const cells = cellsOf('─'.repeat(Math.min(width, 40)), 'dim')
      return { first: none, further: none, cells, settled: 0, isCode: true }
    }
    const keepsMarks = this.#keepsMarks
    const inline = (text: string, style?: string) =>
      inlineMarkdown(text, { keepsMarks, isWhole, ...(style !== undefined && { style }) })
    const [, marks, title] = heading.exec(source) ?? []
    if (title !== undefined) {
      const first = keepsMarks ? cellsOf(`${marks} `) : none
      return { first, further: first, ...inline(title, 'heading'), isCode: false }
    }
    const [, indent = '', bullet, words] = item.exec(source) ?? []
    if (words !== undefined) {
      const sign = /\d/.test(bullet!) ? bullet! : '•'
      const first = [...cellsOf(indent.slice(0, 12)), ...cellsOf(`${sign} `, 'dim')]
      return { first, further: cellsOf(' '.repeat(first.length)), ...inline(words), isCode: false }
    }
    const [, quoted] = quote.exec(source) ?? []
    if (quoted !== undefined) {
      const bar = cellsOf('> ', 'dim')
      return { first: bar, further: bar, ...inline(quoted, 'italic'), isCode: false }
    }
    return { first: none, further: none, ...inline(source), isCode: false }
  }
}

function codeLine(source: string, style = 'code'): Block {
  const bar = cellsOf('│ ', 'dim')
  const cells = cellsOf(source, style)
  return { first: bar, further: bar, cells, settled: cells.length - 1, isCode: true }
}

type Fence = { mark: string; info: string }

/** The code fence on this line; null if it is none. With a backtick after the fence it is inline code. */
function fenceIn(line: string): Fence | null {
  const begin = /^ {0,3}(?=[`~])/.exec(line)?.[0].length
  if (begin === undefined) return null
  let end = begin
  while (line[end] === line[begin]) end += 1
  const info = line.slice(end).trim()
  if (end - begin < 3 || info.includes('`')) return null
  return { mark: line.slice(begin, end), info }
}

const isEndOf = (begin: string, { mark, info }: Fence) =>
  info === '' && mark[0] === begin[0] && mark.length >= begin.length

/** Splits a very long line; never within a surrogate pair. */
function* pieces(line: string): Generator<string> {
  for (let from = 0; from < line.length || from === 0; ) {
    let to = Math.min(line.length, from + longest)
    if (to < line.length && /[\ud800-\udbff]/.test(line[to - 1]!)) to += 1
    yield line.slice(from, to)
    if (to === 0) return
    from = to
  }
}

import { type Cell, cellsOf } from './styled-line.ts'

export type Inline = {
  cells: Cell[]
  /** How many cells cannot change any more, with any text after them. */
  settled: number
}

export type InlineOptions = {
  /** Whether marks such as `*` are kept, because there are no colours to replace them. */
  keepsMarks: boolean
  /** Whether the line is complete: until then, an opening mark may still be closed. */
  isWhole: boolean
  style?: string
}

/** An opening mark is closed within this distance, or not at all. */
const farthest = 500
const escaped = /^\\([!-/:-@[-`{-~])/
const link = /^\[([^\][]{1,200})\]\(([^()\s]{1,500})\)/
const codeMark = /^`+/
const strongMark = /^(\*{2,3}|__)(?=[^\s*])/
const slantMark = /^[*_](?=[^\s*_])/

/** The inline markdown of one line as styled characters; block marks are already removed. */
export function inlineMarkdown(source: string, options: InlineOptions): Inline {
  const { keepsMarks, isWhole, style = '' } = options
  const cells: Cell[] = []
  let settled = Number.POSITIVE_INFINITY
  const unsure = () => {
    settled = Math.min(settled, cells.length)
  }
  const within = (more: string) => (style === '' ? more : `${style} ${more}`)
  // Not with spread arguments: there may be more cells than a call allows.
  const add = (more: readonly Cell[]) => {
    for (const cell of more) cells.push(cell)
  }
  let plain = ''
  const say = (text: string, as = style) => {
    if (as === style) plain += text
    else {
      flush()
      add(cellsOf(text, as))
    }
  }
  const flush = () => {
    add(cellsOf(plain, style))
    plain = ''
  }
  const inside = (text: string, mark: string, more: string) => {
    flush()
    if (keepsMarks) say(mark)
    flush()
    add(inlineMarkdown(text, { keepsMarks, isWhole: true, style: within(more) }).cells)
    if (keepsMarks) say(mark)
  }
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at, at + farthest)
    const isNear = !isWhole && source.length - at < farthest
    const literal = escaped.exec(rest)?.[1]
    if (literal !== undefined) {
      say(literal)
      at += 2
      continue
    }
    const found = half(rest, source[at - 1] ?? ' ')
    if (found === null) {
      const length = /^[^\\`*_[]+/.exec(rest)?.[0].length ?? 1
      say(rest.slice(0, length))
      at += length
      continue
    }
    if (found === 'open') {
      if (isNear) {
        flush()
        unsure()
      }
      const mark = /^(`+|\*+|_+|\[|\\)/.exec(rest)?.[0] ?? rest[0]!
      say(mark)
      at += mark.length
      continue
    }
    // The closing mark may become another mark with the next character.
    if (!isWhole && at + found.length === source.length) {
      flush()
      unsure()
    }
    if (found.is === 'code') {
      if (keepsMarks) say(found.mark)
      say(found.text, within('code'))
      if (keepsMarks) say(found.mark)
    } else if (found.is === 'link') {
      say(found.text, within('link'))
      if (found.url !== found.text) say(` (${found.url})`, within('dim'))
    } else inside(found.text, found.mark, found.is)
    at += found.length
  }
  flush()
  // The next character may combine with the last one.
  return { cells, settled: Math.min(settled, isWhole ? cells.length : Math.max(0, cells.length - 1)) }
}

type Found =
  | { is: 'code' | 'bold' | 'italic' | 'bold italic'; mark: string; text: string; length: number }
  | { is: 'link'; text: string; url: string; length: number }

/** The marked text that begins here; 'open' if its end is missing so far; null if there is no mark. */
function half(rest: string, before: string): Found | 'open' | null {
  const code = codeMark.exec(rest)?.[0]
  if (code !== undefined) {
    const end = new RegExp(`[^\`]${code}(?!\`)`).exec(rest.slice(code.length))
    if (!end) return 'open'
    const text = rest.slice(code.length, code.length + end.index + 1)
    return { is: 'code', mark: code, text: text.trim() || text, length: 2 * code.length + text.length }
  }
  if (rest[0] === '[') {
    const [all, text = '', url = ''] = link.exec(rest) ?? []
    return all === undefined ? 'open' : { is: 'link', text, url, length: all.length }
  }
  if (rest[0] === '\\') return 'open'
  if (rest[0] !== '*' && rest[0] !== '_') return null
  const isWord = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}]/u.test(char)
  if (rest[0] === '_' && isWord(before)) return null
  const mark = strongMark.exec(rest)?.[0] ?? slantMark.exec(rest)?.[0]
  // An incomplete mark is not known yet.
  if (mark === undefined) return rest.length <= 3 ? 'open' : null
  const end = closing(rest, mark)
  if (end === null || (mark[0] === '_' && isWord(rest[end + mark.length]))) return 'open'
  const is = (['italic', 'bold', 'bold italic'] as const)[mark.length - 1]!
  return { is, mark, text: rest.slice(mark.length, end), length: end + mark.length }
}

function closing(rest: string, mark: string): number | null {
  for (let at = rest.indexOf(mark, mark.length + 1); at !== -1; at = rest.indexOf(mark, at + 1)) {
    const isLonger = mark.length === 1 && (rest[at + 1] === mark || rest[at - 1] === mark)
    if (/\S/.test(rest[at - 1] ?? ' ') && !isLonger) return at
  }
  return null
}

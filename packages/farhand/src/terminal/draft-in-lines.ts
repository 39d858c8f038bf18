import type { Draft } from './line-editor.ts'
import { type Line, span } from './lines/styled-line.ts'
import { graphemes, graphemeWidth } from './lines/text-width.ts'

const prompt = '> '

/** The text being typed, wrapped to the window, with the cursor; at most `mostRows` rows around the cursor. */
export function draftInLines({ text, at }: Draft, columns: number, mostRows: number): Line[] {
  const room = Math.max(4, columns - 1 - prompt.length)
  const rows = ['']
  let width = 0
  let cursor = { row: 0, at: 0 }
  let index = 0
  const place = () => {
    if (index === at) cursor = { row: rows.length - 1, at: rows.at(-1)!.length }
  }
  for (const one of graphemes(text)) {
    const columnsOfIt = one === '\n' ? 0 : graphemeWidth(one)
    if (one !== '\n' && width + columnsOfIt > room) {
      rows.push('')
      width = 0
    }
    place()
    index += one.length
    if (one === '\n') {
      rows.push('')
      width = 0
    } else {
      rows[rows.length - 1] += one
      width += columnsOfIt
    }
  }
  place()
  const most = Math.max(1, mostRows)
  const from = Math.min(Math.max(0, cursor.row - most + 1), Math.max(0, rows.length - most))
  return rows.slice(from, from + most).map((row, number): Line => {
    const begin = span(from + number === 0 ? prompt : '  ', 'mine')
    return from + number === cursor.row ? [begin, ...withCursor(row, cursor.at)] : [begin, span(row)]
  })
}

/** The cursor is drawn as text: the terminal's own cursor is at the start of the frame. */
function withCursor(row: string, at: number): Line {
  const [under = ' '] = graphemes(row.slice(at))
  return [span(row.slice(0, at)), span(under, 'cursor'), span(row.slice(at + under.length))]
}

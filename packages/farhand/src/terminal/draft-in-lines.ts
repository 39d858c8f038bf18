import type { Draft } from './line-editor.ts'
import { type Line, span } from './styled-line.ts'
import { graphemes, graphemeWidth } from './text-width.ts'

export type Placed = { lines: Line[]; row: number; column: number }

const prompt = '> '

/** What somebody is typing in a window of this width, and where the cursor stands; so many rows around it at most. */
export function draftInLines({ text, at }: Draft, columns: number, mostRows: number): Placed {
  const room = Math.max(4, columns - 1 - prompt.length)
  const rows = ['']
  let width = 0
  let cursor = { row: 0, column: 0 }
  let index = 0
  const place = () => {
    if (index === at) cursor = { row: rows.length - 1, column: width }
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
  const lines = rows
    .slice(from, from + most)
    .map((row, number): Line => [span(from + number === 0 ? prompt : '  ', 'mine'), span(row)])
  return { lines, row: cursor.row - from, column: cursor.column + prompt.length }
}

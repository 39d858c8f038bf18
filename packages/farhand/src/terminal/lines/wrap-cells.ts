import type { Cell } from './styled-line.ts'

export type Wrapped = {
  cells: readonly Cell[]
  /** How many of all cells come before the end of this line. */
  end: number
}

/** Wraps cells to lines of at most `width` columns, between words if possible; at least one line. */
export function wrapCells(all: readonly Cell[], width: number, isCode = false): Wrapped[] {
  const most = Math.max(width, 2)
  const lines: Wrapped[] = []
  let begin = 0
  let columns = 0
  let afterBlank = -1
  for (let at = 0; at < all.length; at += 1) {
    const cell = all[at]!
    const isBlank = cell.text === ' '
    if (columns + cell.width > most && at > begin && !(isBlank && !isCode)) {
      const end = !isCode && afterBlank > begin ? afterBlank : at
      lines.push({ cells: withoutBlanks(all.slice(begin, end), isCode), end })
      begin = end
      afterBlank = -1
      columns = 0
      for (const { width } of all.slice(begin, at)) columns += width
    }
    columns += cell.width
    if (isBlank) afterBlank = at + 1
  }
  lines.push({ cells: withoutBlanks(all.slice(begin), isCode), end: all.length })
  return lines.map((line) => ({ ...line, cells: cutBlanks(line.cells, most, isCode) }))
}

function withoutBlanks(cells: readonly Cell[], isCode: boolean): readonly Cell[] {
  if (isCode) return cells
  let end = cells.length
  while (end > 0 && cells[end - 1]!.text === ' ') end -= 1
  return cells.slice(0, end)
}

/** Blanks beyond the edge are not shown. */
function cutBlanks(cells: readonly Cell[], most: number, isCode: boolean): readonly Cell[] {
  if (isCode) return cells
  let width = 0
  const over = cells.findIndex((cell) => {
    width += cell.width
    return width > most
  })
  return over === -1 ? cells : cells.slice(0, over)
}

/** A line as it is written, and how many columns it takes. */
export type Drawn = { text: string; width: number }

/** What stands at the bottom of the window, and where the cursor is in it. */
export type Frame = { lines: readonly Drawn[]; row: number; column: number }

export const noFrame: Frame = { lines: [], row: 0, column: 0 }

const begin = '\x1b[?2026h\x1b[?25l'
const end = '\x1b[?25h\x1b[?2026l'
const clearLine = '\x1b[K'

/**
 * What is to be written to get from one frame to the next, with more lines above it; only what differs. Everything goes
 * out at once and with the cursor hidden, or the window would flicker.
 */
export function frameUpdate(before: Frame, next: Frame, above: readonly string[]): string {
  if (above.length > 0 || before.lines.length !== next.lines.length)
    return begin + whole(before, next, above) + end
  const changed = next.lines.flatMap(({ text }, row) => (text === before.lines[row]?.text ? [] : [row]))
  if (changed.length === 0) {
    if (before.row === next.row && before.column === next.column) return ''
    return moveRows(next.row - before.row) + toColumn(next.column)
  }
  let text = ''
  let at = before.row
  for (const row of changed) {
    text += `${moveRows(row - at)}\r${next.lines[row]!.text}${clearLine}`
    at = row
  }
  return begin + text + moveRows(next.row - at) + toColumn(next.column) + end
}

function whole(before: Frame, next: Frame, above: readonly string[]): string {
  const up = `${moveRows(-before.row)}\r`
  const over = above.map((line) => `${line}${clearLine}\r\n`).join('')
  const lines = next.lines.map(({ text }) => `${text}${clearLine}`).join('\r\n')
  const below = '\x1b[J'
  if (next.lines.length === 0) return `${up}${over}${below}`
  return up + over + lines + below + moveRows(next.row - next.lines.length + 1) + toColumn(next.column)
}

/**
 * The same for a window of another width, in which the terminal has broken the lines anew. It remembers what it has
 * broken, also of lines that are written over: only what is cleared away stays away.
 */
export function reflowUpdate(before: Frame, next: Frame, above: readonly string[], columns: number): string {
  const up = moveRows(-reflowedRow(before, columns))
  return `${begin}${up}\r\x1b[J${whole(noFrame, next, above)}${end}`
}

/** In which row of the frame the cursor is once its lines are broken anew. */
function reflowedRow({ lines, row, column }: Frame, columns: number): number {
  const rows = (width: number) => Math.max(1, Math.ceil(width / columns))
  const before = lines.slice(0, row).reduce((sum, { width }) => sum + rows(width), 0)
  return before + Math.floor(column / columns)
}

const moveRows = (by: number) => (by === 0 ? '' : by < 0 ? `\x1b[${-by}A` : `\x1b[${by}B`)
const toColumn = (column: number) => (column === 0 ? '\r' : `\r\x1b[${column}C`)

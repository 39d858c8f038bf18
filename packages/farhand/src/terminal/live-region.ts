/** The lines at the bottom of the window, with their escape sequences. */
export type Frame = readonly string[]

export const noFrame: Frame = []

const begin = '\x1b[?2026h\x1b[?25l'
const end = '\x1b[?2026l'
const wrapOff = '\x1b[?7l'
const wrapOn = '\x1b[?7h'
// Not from the first column on: tmux would treat that in the first row like `clear` and keep the old lines.
const clear = '\r\x1b[2K\x1b[C\x1b[J\r'

/**
 * The text that turns one frame into the next and adds lines above it. Only changed lines are written, unless the
 * window was resized. It must be written at once, or the window would flicker.
 */
export function frameUpdate(
  before: Frame,
  next: Frame,
  above: readonly string[],
  isOtherSize: boolean,
): string {
  if (isOtherSize || above.length > 0 || before.length !== next.length) {
    const over = above.map((line) => `${line}\r\n`).join('')
    return begin + clear + over + inRows(next) + end
  }
  const last = next.findLastIndex((line, row) => line !== before[row])
  if (last === -1) return ''
  const rows = next.slice(0, last + 1).map((line, row) => (line === before[row] ? '' : `\x1b[2K${line}`))
  return begin + inRows(rows) + end
}

/**
 * One row per line, also in a window that has become narrower than the lines: so the way back up is known. Line feeds
 * move down, because they scroll at the end of the window, where a cursor movement would stop.
 */
function inRows(lines: readonly string[]): string {
  if (lines.length === 0) return ''
  const up = lines.length === 1 ? '' : `\x1b[${lines.length - 1}A`
  return `${wrapOff}${lines.join('\r\n')}${up}\r${wrapOn}`
}

/** What stands at the bottom of the window: lines as they are written. */
export type Frame = readonly string[]

export const noFrame: Frame = []

const begin = '\x1b[?2026h\x1b[?25l'
const end = '\x1b[?2026l'
const wrapOff = '\x1b[?7l'
const wrapOn = '\x1b[?7h'
// Not all from the first column on: in the first row of a window, tmux takes that for `clear` and keeps what was there.
const clear = '\r\x1b[2K\x1b[C\x1b[J\r'

/**
 * What is to be written to get from one frame to the next, with more lines above it; only what differs, unless the
 * window has another size. Everything goes out at once, or the window would flicker.
 *
 * Between two updates the cursor is at the beginning of the frame. A terminal may have broken all lines anew, or cut
 * them, long before it says so, and while this is under way: it keeps the cursor at the character where it was, so
 * what is below is ours and what is above is not, whatever became of the rows.
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
 * Each in one row, also in a window that has become narrower than they are: only so the way back is as long as the
 * way there. Line feeds go down, since they scroll at the end of the window, where a movement would just stop.
 */
function inRows(lines: readonly string[]): string {
  if (lines.length === 0) return ''
  const up = lines.length === 1 ? '' : `\x1b[${lines.length - 1}A`
  return `${wrapOff}${lines.join('\r\n')}${up}\r${wrapOn}`
}

import type { LineComment } from './comment-message.ts'
import type { DiffLine, SplitRow } from './diff-rows.ts'

/** Which line something is said of, and how it read. */
export type LinePlace = Pick<LineComment, 'side' | 'line' | 'quoted'>

export const placeOf = ({ old, now, text }: DiffLine): LinePlace => ({
  side: now === null ? 'before' : 'after',
  line: now ?? old ?? 0,
  quoted: text,
})

/**
 * The row with the line that something is said of, and where that line is now. A file may have changed since: it is the
 * line that still reads so and is nearest to where it was. Null if there is none.
 */
export function lineNow(
  rows: readonly SplitRow[],
  { side, line, quoted }: LinePlace,
): { row: number; place: LinePlace } | null {
  let nearest: { row: number; place: LinePlace } | null = null
  const away = (place: LinePlace) => Math.abs(place.line - line)
  for (const [row, pair] of rows.entries()) {
    if (pair.is === 'gap') continue
    for (const one of [pair.left, pair.right]) {
      if (one?.text !== quoted) continue
      const place = placeOf(one)
      if (place.side === side && (!nearest || away(place) < away(nearest.place))) nearest = { row, place }
    }
  }
  return nearest
}

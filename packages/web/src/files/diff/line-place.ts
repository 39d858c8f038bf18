import type { LineComment } from './comment-message.ts'
import type { DiffLine, SplitRow } from './diff-rows.ts'

/** The line that a comment is about, and its text. */
export type LinePlace = Pick<LineComment, 'side' | 'line' | 'quoted'>

export const placeOf = ({ old, now, text }: DiffLine): LinePlace => ({
  side: now === null ? 'before' : 'after',
  line: now ?? old ?? 0,
  quoted: text,
})

/**
 * The row that shows this line, and where the line is now. The file may have changed since: it is the nearest line
 * with the same text. Null if there is none.
 */
export function findLine(
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

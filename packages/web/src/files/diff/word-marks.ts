import { lineDiff } from '@farhand/kit/line-diff'

/** A part of a line: from this letter to before that one. */
export type TextRange = { from: number; to: number }

// Longer lines are seldom written by hand, and comparing their words takes long.
const mostLetters = 1000

/** The changed parts of a line and of the line that replaced it; null where the two have too little in common. */
export function wordMarks(before: string, after: string): { old: TextRange[]; now: TextRange[] } | null {
  if (before.length > mostLetters || after.length > mostLetters) return null
  const parts = lineDiff(wordsOf(before), wordsOf(after))
  const old: TextRange[] = []
  const now: TextRange[] = []
  let [x, y, common] = [0, 0, 0]
  for (const { is, lines } of parts) {
    const length = lines.reduce((sum, word) => sum + word.length, 0)
    if (is === 'same') common += lines.reduce((sum, word) => sum + word.trim().length, 0)
    if (is === 'removed') put(old, x, x + length)
    if (is === 'added') put(now, y, y + length)
    if (is !== 'added') x += length
    if (is !== 'removed') y += length
  }
  const longer = Math.max(before.trim().length, after.trim().length)
  return common * 3 >= longer ? { old, now } : null
}

function put(stretches: TextRange[], from: number, to: number): void {
  const last = stretches.at(-1)
  if (last?.to === from) last.to = to
  else stretches.push({ from, to })
}

const wordsOf = (line: string): string[] => line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []

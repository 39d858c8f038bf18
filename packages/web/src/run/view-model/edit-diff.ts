import type { Hunk } from '@farhand/kit/unified-diff'

/** `line`: its number in the file as it is now, or was for a line that is gone. */
export type DiffRow = { is: 'same' | 'added' | 'removed' | 'gap'; line: number | null; text: string }

/** The lines of a diff, with a gap where some in between are left out. */
export function diffRows(hunks: readonly Hunk[]): DiffRow[] {
  return hunks.flatMap((hunk, at) => {
    let [before, after] = [hunk.before.from, hunk.after.from]
    const rows = hunk.lines.map((line): DiffRow => {
      const text = line.slice(1)
      if (line.startsWith('+')) return { is: 'added', line: after++, text }
      if (line.startsWith('-')) return { is: 'removed', line: before++, text }
      if (line.startsWith('\\')) return { is: 'gap', line: null, text: 'no line end at the end of the file' }
      before++
      return { is: 'same', line: after++, text }
    })
    return at === 0 ? rows : [{ is: 'gap', line: null, text: '⋯' }, ...rows]
  })
}

/** How many lines came and went. */
export function diffCount(rows: readonly DiffRow[]): { added: number; removed: number } {
  const count = (is: DiffRow['is']) => rows.filter((row) => row.is === is).length
  return { added: count('added'), removed: count('removed') }
}

import type { Hunk } from '@farhand/kit/unified-diff'

/** `line`: the line number in the new file, or in the old file for a removed line. */
export type EditDiffRow = { is: 'same' | 'added' | 'removed' | 'gap'; line: number | null; text: string }

/** The lines of a diff, with gaps between hunks. */
export function editDiffRows(hunks: readonly Hunk[]): EditDiffRow[] {
  return hunks.flatMap((hunk, at) => {
    let [before, after] = [hunk.before.from, hunk.after.from]
    const rows = hunk.lines.map((line): EditDiffRow => {
      const text = line.slice(1)
      if (line.startsWith('+')) return { is: 'added', line: after++, text }
      if (line.startsWith('-')) return { is: 'removed', line: before++, text }
      if (line.startsWith('\\')) return { is: 'gap', line: null, text: 'no newline at the end of the file' }
      before++
      return { is: 'same', line: after++, text }
    })
    return at === 0 ? rows : [{ is: 'gap', line: null, text: '⋯' }, ...rows]
  })
}

export function countEditDiff(rows: readonly EditDiffRow[]): { added: number; removed: number } {
  const count = (is: EditDiffRow['is']) => rows.filter((row) => row.is === is).length
  return { added: count('added'), removed: count('removed') }
}

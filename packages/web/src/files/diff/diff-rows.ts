import { lineDiff } from '@farhand/kit/line-diff'

/** A line of a diff. Lines count from 1; `old` is null for an added line, `now` for a removed one. */
export type DiffLine = {
  is: 'same' | 'removed' | 'added'
  old: number | null
  now: number | null
  text: string
  /** The changed parts of the line, where the other side has a similar line. */
  marks: readonly TextRange[]
  /** The last line of a file without a line feed at its end. */
  isUnended: boolean
}

/** Unchanged lines that are hidden until the user opens them. */
export type Gap = { is: 'gap'; from: number; count: number }
export type DiffRow = DiffLine | Gap
export type SplitRow = { is: 'pair'; left: DiffLine | null; right: DiffLine | null } | Gap

const context = 3
// In longer blocks, comparing line by line does not help the user.
const mostMarked = 200

/** All lines of both texts, in the order of a unified diff. */
export function diffLines(before: string, after: string): DiffLine[] {
  const all: DiffLine[] = []
  let [old, now] = [0, 0]
  for (const { is, lines } of lineDiff(linesOf(before), linesOf(after)))
    for (const line of lines) {
      if (is !== 'added') old += 1
      if (is !== 'removed') now += 1
      const isUnended = !line.endsWith('\n')
      all.push({
        is,
        old: is === 'added' ? null : old,
        now: is === 'removed' ? null : now,
        text: line.replace(/\r?\n$/, ''),
        marks: [],
        isUnended,
      })
    }
  return withMarks(all)
}

/** The changed lines with some context, and gaps for the other lines; a gap whose `from` is in `opened` is shown. */
export function withGaps(lines: readonly DiffLine[], opened: ReadonlySet<number>): DiffRow[] {
  const rows: DiffRow[] = []
  for (let from = 0; from < lines.length; ) {
    let to = from
    while (to < lines.length && (lines[to]!.is === 'same') === (lines[from]!.is === 'same')) to += 1
    const block = lines.slice(from, to)
    if (block[0]!.is !== 'same') rows.push(...block)
    else {
      const first = from === 0 ? 0 : context
      const last = to === lines.length ? 0 : context
      const count = block.length - first - last
      const id = from + first
      // A gap takes as much space as one line.
      if (count < 2 || opened.has(id)) rows.push(...block)
      else rows.push(...block.slice(0, first), { is: 'gap', from: id, count }, ...block.slice(first + count))
    }
    from = to
  }
  return rows
}

/** The same rows in two columns: removed lines beside the lines that replaced them. */
export function sideBySide(rows: readonly DiffRow[]): SplitRow[] {
  const pairs: SplitRow[] = []
  for (let at = 0; at < rows.length; ) {
    const row = rows[at]!
    if (row.is === 'gap') pairs.push(row)
    if (row.is === 'same') pairs.push({ is: 'pair', left: row, right: row })
    if (row.is === 'gap' || row.is === 'same') {
      at += 1
      continue
    }
    const { removed, added, end } = changeAt(rows, at)
    for (let nth = 0; nth < Math.max(removed.length, added.length); nth += 1)
      pairs.push({ is: 'pair', left: removed[nth] ?? null, right: added[nth] ?? null })
    at = end
  }
  return pairs
}

/** The removed and added lines from `at` on, up to the next unchanged line. */
function changeAt(rows: readonly DiffRow[], at: number) {
  const removed: DiffLine[] = []
  const added: DiffLine[] = []
  let end = at
  for (let row = rows[end]; row && (row.is === 'removed' || row.is === 'added'); row = rows[++end]) {
    if (row.is === 'removed') removed.push(row)
    else added.push(row)
  }
  return { removed, added, end }
}

function withMarks(lines: DiffLine[]): DiffLine[] {
  for (let at = 0; at < lines.length; ) {
    if (lines[at]!.is === 'same') {
      at += 1
      continue
    }
    const { removed, added, end } = changeAt(lines, at)
    at = end
    if (Math.max(removed.length, added.length) > mostMarked) continue
    for (const [nth, line] of removed.entries()) {
      const other = added[nth]
      const marks = other && wordMarks(line.text, other.text)
      if (!marks) continue
      line.marks = marks.old
      other.marks = marks.now
    }
  }
  return lines
}

/** Keeps the line ends: a last line without one is another line. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/))

/** A part of a line: from this letter to before that one. */
type TextRange = { from: number; to: number }

// Longer lines are seldom written by hand, and comparing their words takes long.
const mostLetters = 1000

/** The changed parts of a line and of the line that replaced it; null where the two have too little in common. */
function wordMarks(before: string, after: string): { old: TextRange[]; now: TextRange[] } | null {
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

import { lineDiff } from './line-diff.ts'

/** One stretch of a diff, as `diff -u` counts: lines from 1, and 0 where there are none. */
export type Hunk = {
  before: { from: number; count: number }
  after: { from: number; count: number }
  /** Each begins with a blank, - or +, and has no line end. */
  lines: string[]
}

const noEnd = '\\ No newline at end of file'

/** What turns one text into another, with some lines around each change; none if they are the same. */
export function unifiedDiff(before: string, after: string, context = 3): Hunk[] {
  const parts = lineDiff(linesOf(before), linesOf(after))
  const hunks: Hunk[] = []
  let [old, now] = [0, 0]
  let hunk: Hunk | null = null
  const put = (sign: ' ' | '-' | '+', lines: readonly string[]) => {
    for (const line of lines) {
      hunk!.lines.push(sign + line.replace(/\n$/, ''))
      if (!line.endsWith('\n')) hunk!.lines.push(noEnd)
    }
    if (sign !== '+') hunk!.before.count += lines.length
    if (sign !== '-') hunk!.after.count += lines.length
  }
  for (const [at, { is, lines }] of parts.entries()) {
    if (is === 'same') {
      const isLast = at === parts.length - 1
      if (hunk) put(' ', lines.length <= 2 * context && !isLast ? lines : lines.slice(0, context))
      if (isLast || !hunk || lines.length > 2 * context) hunk = null
    } else {
      if (!hunk) {
        const around = at > 0 ? parts[at - 1]!.lines.slice(-context) : []
        const from = context === 0 ? [] : around
        hunk = {
          before: { from: old - from.length + 1, count: 0 },
          after: { from: now - from.length + 1, count: 0 },
          lines: [],
        }
        hunks.push(hunk)
        put(' ', from)
      }
      put(is === 'removed' ? '-' : '+', lines)
    }
    if (is !== 'added') old += lines.length
    if (is !== 'removed') now += lines.length
  }
  for (const { before, after } of hunks) {
    if (before.count === 0) before.from -= 1
    if (after.count === 0) after.from -= 1
  }
  return hunks
}

/** Each with its line end: one without is another line. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/))

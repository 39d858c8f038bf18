import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Hunk, unifiedDiff } from './unified-diff.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}\n`)
const text = ({ before, after, lines }: Hunk) =>
  `@@ -${before.from},${before.count} +${after.from},${after.count} @@\n${lines.join('\n')}\n`

describe('unifiedDiff', () => {
  it('is empty for the same text', () => expect(unifiedDiff('a\n', 'a\n')).toEqual([]))

  it('shows three lines around a change and leaves out the rest', () => {
    const lines = numbered(20)
    const [hunk, ...more] = unifiedDiff(lines.join(''), lines.with(10, 'other\n').join(''))
    expect(more).toEqual([])
    expect(hunk).toMatchObject({ before: { from: 8, count: 7 }, after: { from: 8, count: 7 } })
    expect(hunk!.lines.slice(3, 5)).toEqual(['-line 10', '+other'])
  })

  it('says that a text has no line end', () => {
    expect(unifiedDiff('a\n', 'a')[0]?.lines).toEqual(['-a', '+a', '\\ No newline at end of file'])
  })

  it.each([
    ['changes near each other', (lines: string[]) => lines.with(3, 'x\n').with(9, 'y\n')],
    ['changes far apart', (lines: string[]) => lines.with(1, 'x\n').toSpliced(25, 2)],
    ['a new beginning', (lines: string[]) => ['first\n', ...lines]],
    ['an end without a line end', (lines: string[]) => [...lines.slice(0, -2), 'the end']],
    ['nothing left', () => []],
  ])('is what patch understands: %s', (_, change) => {
    const folder = mkdtempSync(join(tmpdir(), 'farhand-diff-'))
    try {
      const before = numbered(30)
      const after = change(before).join('')
      const file = join(folder, 'a')
      writeFileSync(file, before.join(''))
      const patch = `--- a/a\n+++ b/a\n${unifiedDiff(before.join(''), after).map(text).join('')}`
      execFileSync('git', ['apply', '--unidiff-zero', '-'], { cwd: folder, input: patch })
      expect(readFileSync(file, 'utf8')).toBe(after)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

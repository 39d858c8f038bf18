import { expect, it } from 'vitest'
import { diffLines, type SplitRow } from './diff-rows.ts'
import { findLine } from './line-place.ts'

const rows = (before: string, after: string): SplitRow[] =>
  diffLines(before, after).map((line) => ({ is: 'pair', left: line, right: null }))

it('finds the line that a comment is about where it has gone to', () => {
  const about = { side: 'after', line: 1, quoted: 'b' } as const
  expect(findLine(rows('', 'b\n'), about)).toEqual({ row: 0, place: about })
  expect(findLine(rows('', 'a\nb\nc\nb\n'), about)).toEqual({ row: 1, place: { ...about, line: 2 } })
})

it('finds none where no line reads so, or only on the other side', () => {
  expect(findLine(rows('b\n', 'a\n'), { side: 'after', line: 1, quoted: 'b' })).toBeNull()
  expect(findLine(rows('b\n', 'a\n'), { side: 'before', line: 1, quoted: 'b' })?.row).toBe(0)
})

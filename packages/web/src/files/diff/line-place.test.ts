import { expect, it } from 'vitest'
import { diffLines, type SplitRow } from './diff-rows.ts'
import { findLine } from './line-place.ts'

const rows = (before: string, after: string): SplitRow[] =>
  diffLines(before, after).map((line) => ({ is: 'pair', left: line, right: null }))

it('finds the line of a comment at its new place', () => {
  const about = { side: 'after', line: 1, quoted: 'b' } as const
  expect(findLine(rows('', 'b\n'), about)).toEqual({ row: 0, place: about })
  expect(findLine(rows('', 'a\nb\nc\nb\n'), about)).toEqual({ row: 1, place: { ...about, line: 2 } })
})

it('finds none if no line has this text, or only one on the other side', () => {
  expect(findLine(rows('b\n', 'a\n'), { side: 'after', line: 1, quoted: 'b' })).toBeNull()
  expect(findLine(rows('b\n', 'a\n'), { side: 'before', line: 1, quoted: 'b' })?.row).toBe(0)
})

import { unifiedDiff } from '@farhand/kit/unified-diff'
import { expect, it } from 'vitest'
import { countEditDiff, editDiffRows } from './edit-diff.ts'

const lines = (count: number, change: Record<number, string> = {}) =>
  Array.from({ length: count }, (_, at) => `${change[at + 1] ?? `line ${at + 1}`}\n`).join('')

it('a line has its number in the file as it is now, and one that is gone the number it had', () => {
  const rows = editDiffRows(unifiedDiff(lines(3), lines(3, { 2: 'other' })))
  expect(rows.map(({ is, line }) => `${is} ${line}`)).toEqual(['same 1', 'removed 2', 'added 2', 'same 3'])
  expect(countEditDiff(rows)).toEqual({ added: 1, removed: 1 })
})

it('between two stretches there is a gap', () => {
  const rows = editDiffRows(unifiedDiff(lines(40), lines(40, { 2: 'x', 30: 'y' })))
  expect(rows.filter(({ is }) => is === 'gap')).toHaveLength(1)
  expect(rows.filter(({ is }) => is === 'added').map(({ line }) => line)).toEqual([2, 30])
})

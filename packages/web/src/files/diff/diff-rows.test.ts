import { describe, expect, it } from 'vitest'
import { diffLines, sideBySide, withGaps } from './diff-rows.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}\n`)
const before = numbered(30)
const after = [...before.slice(0, 14), 'line 15 is new\n', ...before.slice(15)]
const lines = diffLines(before.join(''), after.join(''))

describe('a diff', () => {
  it('numbers the lines of both sides', () => {
    const changed = lines.filter(({ is }) => is !== 'same')
    expect(changed).toMatchObject([
      { is: 'removed', old: 15, now: null, text: 'line 15' },
      { is: 'added', old: null, now: 15, text: 'line 15 is new' },
    ])
    expect(lines.at(-1)).toMatchObject({ is: 'same', old: 30, now: 30 })
  })

  it('marks the words that changed within a line', () => {
    const [, added] = lines.filter(({ is }) => is !== 'same')
    expect(added!.marks).toEqual([{ from: 7, to: 14 }])
  })

  it('marks nothing in lines that have little in common', () => {
    const other = diffLines('the quick brown fox\n', 'import { x } from y\n')
    expect(other.flatMap(({ marks }) => marks)).toEqual([])
  })

  it('shows three lines around a change and says how many it does not show', () => {
    const rows = withGaps(lines, new Set())
    expect(rows.map((row) => (row.is === 'gap' ? `${row.count} more` : row.text))).toEqual([
      '11 more',
      'line 12',
      'line 13',
      'line 14',
      'line 15',
      'line 15 is new',
      'line 16',
      'line 17',
      'line 18',
      '12 more',
    ])
  })

  it('shows a gap that was opened, and only that', () => {
    const rows = withGaps(lines, new Set([0]))
    expect(rows.filter(({ is }) => is === 'gap')).toEqual([{ is: 'gap', from: 19, count: 12 }])
  })

  it('puts removed lines beside the added ones in their place, and leaves the rest of a side empty', () => {
    const rows = sideBySide(withGaps(diffLines('a\nb\nc\n', 'a\nB\nB2\nc\n'), new Set()))
    const texts = rows.map((row) => (row.is === 'gap' ? 'gap' : [row.left?.text, row.right?.text]))
    expect(texts).toEqual([
      ['a', 'a'],
      ['b', 'B'],
      [undefined, 'B2'],
      ['c', 'c'],
    ])
  })

  it('tells a line without an end from one that has it', () => {
    expect(diffLines('a\n', 'a').map(({ is, isUnended }) => [is, isUnended])).toEqual([
      ['removed', false],
      ['added', true],
    ])
  })

  it('of two empty texts is empty', () => expect(diffLines('', '')).toEqual([]))
})

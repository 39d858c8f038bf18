import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type DiffPart, lineDiff } from './line-diff.ts'

const side = (parts: readonly DiffPart[], without: 'removed' | 'added') =>
  parts.filter(({ is }) => is !== without).flatMap(({ lines }) => lines)

it('says which line became which, what is removed first', () => {
  expect(lineDiff(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e'])).toEqual([
    { is: 'same', lines: ['a'] },
    { is: 'removed', lines: ['b'] },
    { is: 'added', lines: ['x'] },
    { is: 'same', lines: ['c', 'd'] },
    { is: 'added', lines: ['e'] },
  ])
})

it('finds nothing between two that are the same, and everything where one is empty', () => {
  expect(lineDiff([], [])).toEqual([])
  expect(lineDiff(['a'], ['a'])).toEqual([{ is: 'same', lines: ['a'] }])
  expect(lineDiff([], ['a'])).toEqual([{ is: 'added', lines: ['a'] }])
})

it('takes more lines than a function takes arguments', () => {
  const many = Array.from({ length: 200_000 }, (_, nth) => `${nth}`)
  expect(lineDiff([], many)[0]?.lines).toHaveLength(many.length)
  expect(lineDiff(many, [])[0]?.lines).toHaveLength(many.length)
})

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })

it('gives back both texts, for any two texts', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const parts = lineDiff(before, after)
      expect(side(parts, 'added')).toEqual(before)
      expect(side(parts, 'removed')).toEqual(after)
    }),
  )
})

it('removes and adds no more lines than the longest common part asks for', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const same = lineDiff(before, after).flatMap(({ is, lines }) => (is === 'same' ? lines : []))
      expect(same).toHaveLength(longestCommon(before, after))
    }),
  )
})

it('takes texts that have next to nothing in common for replaced, and does not take forever', () => {
  const [before, after] = ['x', 'y'].map((name) => Array.from({ length: 20_000 }, (_, n) => `${name}${n}`))
  expect(lineDiff(before!, after!).map(({ is }) => is)).toEqual(['removed', 'added'])
})

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0)
  for (const one of a) {
    const next = [0]
    for (const [n, other] of b.entries())
      next.push(one === other ? row[n]! + 1 : Math.max(next[n]!, row[n + 1]!))
    row = next
  }
  return row.at(-1)!
}

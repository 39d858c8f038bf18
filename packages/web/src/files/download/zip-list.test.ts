import { sampleHash } from '@farhand/protocol/events/sample-log'
import { expect, it } from 'vitest'
import { zipAttributes, zipList } from './zip-list.ts'

const file = (path: string, size: number | null) => ({
  path,
  size,
  entry: { mode: '100644' as const, hash: sampleHash('a') },
})

it('a zip has all files in their order as long as there is room', () => {
  const files = [file('b', 10), file('a', 1), file('unknown', null)]
  expect(zipList(files)).toEqual({ taken: files, leftOut: [] })
})

it('a zip leaves out the largest where there is no room for all', () => {
  const { taken, leftOut } = zipList([file('big', 90), file('a', 5), file('b', 5)], { mostBytes: 50 })
  expect([taken, leftOut].map((some) => some.map(({ path }) => path))).toEqual([['a', 'b'], ['big']])
  expect(zipList([file('a', 1), file('b', 1)], { mostFiles: 1 }).leftOut).toHaveLength(1)
})

it.each([
  ['100644', 0o100644],
  ['100755', 0o100755],
  ['120000', 0o120777],
] as const)('a zip says of %s what Unix would', (mode, unix) => {
  expect(zipAttributes({ mode, hash: sampleHash('a') }) / 2 ** 16).toBe(unix)
})

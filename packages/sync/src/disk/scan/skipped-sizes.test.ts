import { expect, it } from 'vitest'
import { makeFolder, Watched } from '../watch/folder-watcher-under-test.ts'
import { SkippedSizes } from './skipped-sizes.ts'

it('S9 the size of a skipped file is reported again once it has stopped growing, each time later', () => {
  const sizes = new SkippedSizes()
  sizes.reported('a', 10)
  sizes.measured('a', 20, 0)
  sizes.measured('a', 30, 900)
  expect(sizes.take(1899)).toEqual([])
  expect(sizes.nextMs).toBe(1900)
  expect(sizes.take(1900)).toEqual([{ path: 'a', size: 30 }])
  expect(sizes.take(1_000_000)).toEqual([])
  sizes.measured('a', 40, 2000)
  expect(sizes.nextMs).toBe(4000)
  sizes.measured('a', 30, 3000)
  expect(sizes.take(1_000_000)).toEqual([])
})

it('S9 a file that was noticed while it was written is reported with its final size', async () => {
  const folder = makeFolder()
  folder.write('big', 'x'.repeat(1001))
  const watched = new Watched(folder, { maxFileBytes: 1000 })
  await watched.scanned()
  const told = () => watched.reports.flatMap(({ skipped }) => skipped)
  folder.write('big', 'x'.repeat(2002))
  await watched.until(() => told().length > 1)
  expect(told()).toEqual([1001, 2002].map((size) => ({ path: 'big', why: 'too-large', size })))
})

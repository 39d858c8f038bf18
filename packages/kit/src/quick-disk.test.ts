import { expect, it } from 'vitest'
import { QuickDisk } from './quick-disk.ts'

/** A disk that takes as long as it is told to; `where` lists who waited for it. */
function paced() {
  let nowMs = 0
  const where: ('here' | 'thread')[] = []
  const disk = new QuickDisk(() => nowMs)
  const write = (tookMs: number, bytes = 2_000) =>
    disk.run(
      bytes,
      () => {
        where.push('here')
        nowMs += tookMs
      },
      async () => {
        where.push('thread')
        nowMs += tookMs + 0.3
      },
    )
  const many = async (count: number, tookMs: number, bytes?: number) => {
    where.length = 0
    for (let nth = 0; nth < count; nth++) await write(tookMs, bytes)
    return where.filter((one) => one === 'here').length
  }
  return { many, rest: (ms: number) => (nowMs += ms) }
}

it('waits for a disk in another thread until it has been quick a few times, and then no longer', async () => {
  const { many } = paced()
  expect(await many(4, 0.02)).toBe(0)
  expect(await many(100, 0.02)).toBe(100)
})

it('never waits here for a disk that takes as long as a disk does', async () => {
  const { many } = paced()
  expect(await many(1000, 4)).toBe(0)
})

it('tries one that looked quick because of its threads once, and then leaves it alone for longer each time', async () => {
  const { many, rest } = paced()
  expect(await many(200, 0.5)).toBe(1)
  rest(1_000)
  expect(await many(200, 0.5)).toBe(1)
  rest(1_000)
  expect(await many(200, 0.5)).toBe(0)
  rest(1_000)
  expect(await many(200, 0.5)).toBe(1)
})

it('forgives one slow write among many, and not two in a row', async () => {
  const { many } = paced()
  await many(10, 0.02)
  expect(await many(1, 5)).toBe(1)
  expect(await many(50, 0.02)).toBe(50)
  expect(await many(2, 5)).toBe(2)
  expect(await many(50, 0.02)).toBe(0)
})

it('gives large writes to another thread, even if the disk is quick, and does not count their time', async () => {
  const { many } = paced()
  await many(10, 0.02)
  expect(await many(10, 30, 1_000_000)).toBe(0)
  expect(await many(10, 0.02)).toBe(10)
})

it('passes on errors of a write, in this thread or another', async () => {
  const disk = new QuickDisk()
  const fail = () => {
    throw new Error('the disk is full')
  }
  await expect(disk.run(1, fail, async () => fail())).rejects.toThrow('the disk is full')
  for (let nth = 0; nth < 4; nth++) await disk.run(1, fail, async () => {})
  await expect(disk.run(1, fail, async () => fail())).rejects.toThrow('the disk is full')
})

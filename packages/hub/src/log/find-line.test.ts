import { hub } from '@farhand/protocol/events/sample-log'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SimulatedDisk } from './disk/simulated-disk-under-test.ts'
import { findLine } from './find-line.ts'
import { encodeLine } from './stored-line.ts'

async function fileOf(textLengths: number[]) {
  const starts: number[] = []
  let size = 0
  const lines = textLengths.map((length, index) => {
    const line = Buffer.from(
      encodeLine({
        id: index + 1,
        type: 'notification',
        timestamp: '2026-01-01T00:00:00.000Z',
        notification: { jsonrpc: '2.0', method: '_test/said', params: { text: 'x'.repeat(length) } },
        by: hub,
      }),
    )
    starts.push(size)
    size += line.length
    return line
  })
  const disk = new SimulatedDisk({ random: () => 0 })
  disk.plant('/log', Buffer.concat(lines))
  const file = (await disk.open('/log', false))!
  let reads = 0
  const counted: typeof file = {
    ...file,
    read: (into, position) => {
      reads += 1
      return file.read(into, position)
    },
  }
  const from = { id: 1, at: 0 }
  const to = { id: lines.length + 1, at: size }
  return { starts, reads: () => reads, find: (id: number) => findLine(counted, id, from, to) }
}

it('finds the beginning of every line, however their lengths are mixed', async () => {
  const length = fc.oneof(
    { arbitrary: fc.nat(300), weight: 8 },
    { arbitrary: fc.nat(70_000), weight: 1 },
    { arbitrary: fc.integer({ min: 32_000, max: 33_500 }), weight: 1 },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(length, { minLength: 1, maxLength: 200, size: 'max' }), async (lengths) => {
      const { starts, find } = await fileOf(lengths)
      for (const [index, start] of starts.entries()) expect(await find(index + 1)).toBe(start)
    }),
    { numRuns: 30 },
  )
})

it('needs only a few reads, also when the longest lines stand at one end', async () => {
  const even = await fileOf(Array.from({ length: 50_000 }, (_, n) => 100 + (n % 200)))
  for (const id of [50_000, 49_990, 25_000, 100, 2]) await even.find(id)
  expect(even.reads()).toBeLessThan(5 * 5)
  const skewed = await fileOf(Array.from({ length: 20_000 }, (_, n) => (n > 19_900 ? 100_000 : 50)))
  for (const id of [20_000, 19_990, 10_000, 100, 2]) await skewed.find(id)
  expect(skewed.reads()).toBeLessThan(5 * 40)
})

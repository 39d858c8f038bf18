import { web } from '@farhand/protocol/events/sample-log'
import { describe, expect, it, vi } from 'vitest'
import { type LogUnderTest, otherRun, run } from './log-under-test.ts'

/** What readers may rely on, from any cursor and while writers append (W18). */
export function logReadersContract(tested: LogUnderTest): void {
  const { append, reopen } = tested

  describe('a reader', () => {
    it('gets as many whole lines as fit, but at least one, and null at the end', async () => {
      await append(web, ['a', 'b', 'c'])
      const all = (await tested.log.read(run, 0, 10_000))!
      const lineBytes = all.bytes.length / 3
      const lastIds = await Promise.all(
        [1, lineBytes, 2 * lineBytes - 1, 2 * lineBytes].map(async (maxBytes) => {
          const chunk = (await tested.log.read(run, 0, maxBytes))!
          expect(chunk.bytes).toEqual(all.bytes.subarray(0, chunk.lastId * lineBytes))
          return chunk.lastId
        }),
      )
      expect(lastIds).toEqual([1, 1, 1, 2])
      expect(await tested.log.read(run, 3, 1)).toBeNull()
      expect(await tested.log.read(otherRun, 0, 1)).toBeNull()
    })

    it('finds every line in a log of short and very long ones', async () => {
      const sizes = [10, 3, 200_000, 5, 1, 1_000_000, 8, 70_000, 2, 40, 33_000, 1]
      const lines = Array.from({ length: 120 }, (_, n) => `${n} ${'x'.repeat(sizes[n % sizes.length]!)}`)
      for (let at = 0; at < lines.length; at += 12) await append(web, lines.slice(at, at + 12))
      await reopen()
      for (const after of [119, 0, 60, 5, 4, 77, 113, 6, 30, 118, 1, 99]) {
        const chunk = await tested.log.read(run, after, 1)
        expect(chunk).toMatchObject({ firstId: after + 1, lastId: after + 1 })
        expect(JSON.parse(chunk!.bytes.toString()).notification.params.text).toBe(lines[after])
      }
    })

    it('W18 with a cursor misses nothing and gets nothing twice while writers append', async () => {
      const got: number[] = []
      let wake = () => {}
      const stop = tested.log.onGrowth(run, () => wake())
      const reading = (async () => {
        while (got.length < 500) {
          // Listening first: what becomes durable between the look and the wait rings a bell that is already hung.
          const rung = new Promise<void>((resolve) => {
            wake = resolve
          })
          const chunk =
            tested.log.recent(run, got.length, 700) ?? (await tested.log.read(run, got.length, 700))
          if (!chunk) await rung
          else for (let id = chunk.firstId; id <= chunk.lastId; id += 1) got.push(id)
        }
      })()
      for (let n = 0; n < 100; n += 1) await append(web, ['a', 'b', 'c', 'd', 'e'])
      await reading
      stop()
      expect(got).toEqual(Array.from({ length: 500 }, (_, n) => n + 1))
    })
  })

  describe('the bell', () => {
    it('rings once the events can be read, for each listener and only for its run, until it stops listening', async () => {
      const rings: string[] = []
      const look = (name: string) => () => rings.push(`${name} ${tested.log.recent(run, 0, 1000)?.lastId}`)
      tested.log.onGrowth(run, look('first'))
      const stop = tested.log.onGrowth(run, look('second'))
      tested.log.onGrowth(otherRun, look('other'))
      await append(web, ['a'])
      await vi.waitFor(() => expect(rings).toHaveLength(2), { timeout: 60_000 })
      stop()
      await append(web, ['b'])
      await vi.waitFor(() => expect(rings).toHaveLength(3), { timeout: 60_000 })
      expect(rings).toEqual(['first 1', 'second 1', 'first 2'])
    })

    it('rings for all other listeners when one of them fails', async () => {
      let rings = 0
      tested.log.onGrowth(run, () => {
        throw new Error('a reader broke')
      })
      tested.log.onGrowth(run, () => {
        rings += 1
      })
      await append(web, ['a'])
      await vi.waitFor(() => expect(rings).toBe(1), { timeout: 60_000 })
    })

    it('W5 rings only after the writer was answered: to serve many readers takes longer than the disk', async () => {
      const order: string[] = []
      const rung = new Promise<void>((resolve) => {
        tested.log.onGrowth(run, () => {
          order.push('rung')
          resolve()
        })
      })
      await append(web, ['a']).then(() => order.push('answered'))
      await rung
      expect(order).toEqual(['answered', 'rung'])
    })
  })
}

import type { Run } from '@farhand/protocol/schemas/api'
import { RunId } from '@farhand/protocol/wire/ids'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { describe, expect, it } from 'vitest'
import type { RunCache } from './run-cache.ts'

const run = RunId.parse('run_0000000000000000000001')
const other = RunId.parse('run_0000000000000000000002')
const event = (id: number): SeenEvent => ({
  id,
  type: 'notification',
  timestamp: '2026-01-01T00:00:00.000Z',
  notification: { jsonrpc: '2.0', method: 'm', params: { text: `é ${id}` } },
  by: { kind: 'hub' },
})
const events = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, nth) => event(from + nth))
const about = (id: RunId, title: string) => ({ id, title }) as unknown as Run

/** `start` gives an empty cache as two pages of one browser have it. */
export function runCacheContract(name: string, start: () => Promise<readonly [RunCache, RunCache]>): void {
  describe(`the cache of a page: ${name}`, () => {
    it('has nothing at first', async () => {
      const [cache] = await start()
      expect([await cache.read(run), await cache.loadRun(run)]).toEqual([[], null])
    })

    it('has the events of each run in order, in whatever portions they came', async () => {
      const [cache, second] = await start()
      await cache.add(other, events(1, 2))
      for (let from = 1, size = 1; from <= 1200; from += size, size = (size * 7) % 601)
        await cache.add(run, events(from, Math.min(1200, from + size - 1)))
      expect(await second.read(run)).toEqual(events(1, 1200))
      expect(await second.read(other)).toEqual(events(1, 2))
    })

    it('ignores what it knows, and what comes after a gap', async () => {
      const [cache] = await start()
      await cache.add(run, events(2, 3))
      expect(await cache.read(run)).toEqual([])
      await cache.add(run, events(1, 3))
      await cache.add(run, events(2, 4))
      await cache.add(run, events(6, 7))
      await cache.add(run, [])
      expect(await cache.read(run)).toEqual(events(1, 4))
      await cache.add(run, [event(5), event(7), event(8)])
      expect(await cache.read(run)).toEqual(events(1, 5))
      await cache.add(run, events(6, 6))
      expect(await cache.read(run)).toEqual(events(1, 6))
    })

    it('has each event once when two pages add them at the same time', async () => {
      const [one, two] = await start()
      await Promise.all(
        [1, 11, 21].flatMap((from) => [one, two].map((page) => page.add(run, events(from, from + 9)))),
      )
      // What came before its turn was after a gap: pages go on from what is there.
      await one.add(run, events(1, 30))
      expect(await two.read(run)).toEqual(events(1, 30))
    })

    it('has a run as it was described last, beside its events', async () => {
      const [cache, second] = await start()
      await cache.saveRun(about(run, 'before'))
      await cache.add(run, events(1, 2))
      await cache.saveRun(about(run, 'after'))
      await cache.saveRun(about(other, 'another'))
      expect(await second.loadRun(run)).toEqual(about(run, 'after'))
      await second.add(run, events(3, 4))
      expect(await second.read(run)).toEqual(events(1, 4))
      expect(await second.loadRun(run)).toEqual(about(run, 'after'))
      expect(await second.read(other)).toEqual([])
    })

    it('forgets a run whole, and begins again with its first event', async () => {
      const [cache, second] = await start()
      await cache.saveRun(about(run, 'forgotten'))
      await cache.add(run, events(1, 600))
      await cache.add(other, events(1, 1))
      await second.forget(run)
      expect([await cache.read(run), await cache.loadRun(run)]).toEqual([[], null])
      await cache.add(run, events(601, 602))
      expect(await cache.read(run)).toEqual([])
      await cache.add(run, events(1, 2))
      expect(await cache.read(run)).toEqual(events(1, 2))
      expect(await cache.read(other)).toEqual(events(1, 1))
    })
  })
}

import { laptop, runner, web } from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { everything, type LogUnderTest, otherRun, run, said } from './log-under-test.ts'

/** What becomes of events that are appended: what is stored, when, and whether at all (W4, W5). */
export function storedEventsContract(tested: LogUnderTest): void {
  const { append, stamped, keyed, begin, texts, reopen } = tested

  describe('W4 events', () => {
    it('W4 get dense ids from 1, each run its own', async () => {
      expect(await append(web, ['a', 'b'])).toEqual({ ids: [1, 2], lastEventId: 2 })
      expect(await append(web, ['c'])).toEqual({ ids: [3], lastEventId: 3 })
      const other = await tested.log.append(otherRun, () => ({ by: web, notifications: [said('d')] }))
      expect(other.ids).toEqual([1])
      expect(await texts()).toEqual(['a', 'b', 'c'])
    })

    it('W4 are stored as one line each, with who wrote them and their stamps', async () => {
      await append(laptop, ['line\nfeed'], { producer: { id: 'p', epoch: 2, seq: 0 } })
      await append(web, ['ü'], { key: { key: 'k', body: 'digest' } })
      const chunk = await tested.log.read(run, 0, 10_000)
      expect(chunk?.bytes.toString().split('\n')).toEqual([
        '{"id":1,"type":"notification","timestamp":"2026-01-01T00:00:00.000Z","notification":{"jsonrpc":"2.0","method":"_test/said","params":{"text":"line\\nfeed"}},"by":{"kind":"device","id":"dev_laptop00"},"producer":{"id":"p","epoch":2,"seq":0},"sum":"3dcd89d6"}',
        '{"id":2,"type":"notification","timestamp":"2026-01-01T00:00:00.000Z","notification":{"jsonrpc":"2.0","method":"_test/said","params":{"text":"ü"}},"by":{"kind":"web","id":"usr_someone0"},"key":{"key":"k","body":"digest"},"sum":"509efff7"}',
        '',
      ])
    })

    it('W4 never go back in time, even when the clock does, and even after a restart', async () => {
      await append(web, ['a'])
      tested.nowMs -= 60_000
      await append(web, ['b'])
      await reopen()
      await append(web, ['c'])
      tested.nowMs += 61_000
      await append(web, ['d'])
      const times = (await everything(tested.log, run)).map(({ timestamp }) => timestamp)
      expect(times.slice(0, 3)).toEqual(Array(3).fill('2026-01-01T00:00:00.000Z'))
      expect(times[3]).toBe('2026-01-01T00:00:01.000Z')
    })

    it('W4 have the right time again after a clock that was far ahead, also after a restart', async () => {
      const hourMs = 3_600_000
      tested.nowMs += hourMs
      await append(web, ['wrong'])
      tested.nowMs -= hourMs
      await append(web, ['right'])
      await reopen()
      tested.nowMs += 1000
      await append(web, ['right'])
      const times = (await everything(tested.log, run)).map(({ timestamp }) => timestamp)
      expect(times).toEqual([
        '2026-01-01T01:00:00.000Z',
        '2026-01-01T00:00:00.000Z',
        '2026-01-01T00:00:01.000Z',
      ])
    })
  })

  describe('W5 durability', () => {
    it('W5 no reader sees an event before its append has resolved', async () => {
      await append(web, ['a'])
      const appending = append(web, ['b'])
      expect(tested.log.recent(run, 1, 1000) ?? null).toBeNull()
      expect((await tested.log.head(run)).lastId).toBe(1)
      await appending
      expect((await tested.log.read(run, 1, 1000))?.firstId).toBe(2)
      expect((await tested.log.head(run)).lastId).toBe(2)
    })

    it('W5 what was acknowledged is there after a restart, with the same head', async () => {
      await begin(1)
      await stamped(runner, 1, 0, 'a', 'b')
      const head = await tested.log.head(run)
      const events = await everything(tested.log, run)
      await reopen()
      expect(await tested.log.head(run)).toEqual(head)
      expect(await everything(tested.log, run)).toEqual(events)
    })

    it('W5 closing waits for what was admitted and refuses what comes later', async () => {
      const appending = append(web, ['a'])
      await tested.log.close()
      expect((await appending).ids).toEqual([1])
      await expect(append(web, ['b'])).rejects.toMatchObject({ code: 'hub.stopping' })
      await reopen()
      expect(await texts()).toEqual(['a'])
    })
  })

  describe('a proposal', () => {
    it('sees what was admitted before it, durable or not', async () => {
      const seen: number[] = []
      await Promise.all(
        ['a', 'b', 'c'].map((text) =>
          tested.log.append(run, ({ lastId }) => {
            seen.push(lastId)
            return { by: web, notifications: [said(text)] }
          }),
        ),
      )
      expect(seen).toEqual([0, 1, 2])
    })

    it('that throws stores nothing', async () => {
      const refuse = () => {
        throw new Error('no')
      }
      await expect(tested.log.append(run, refuse)).rejects.toThrow('no')
      expect((await append(web, ['a'])).ids).toEqual([1])
    })

    it('that carries a refusal is refused only if something of it is new', async () => {
      const refusal = new Error('closed') as never
      const retry = { by: web, notifications: [said('a')], key: { key: 'k', body: 'a' }, refusal }
      await expect(tested.log.append(run, () => retry)).rejects.toThrow('closed')
      await keyed(web, 'k', 'a')
      expect((await tested.log.append(run, () => retry)).ids).toEqual([1])
    })
  })
}

import { hub, laptop, runner, web } from '@farhand/protocol/events/sample-log'
import type { RunId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import type { EventLog } from './event-log.ts'
import { everything, type LogUnderTest, otherRun, run, said } from './log-under-test.ts'

const forked = { jsonrpc: '2.0', method: '_posthog/forked', params: { run, event: 3 } } as const

/** What becomes of a log that begins with the lines of another one (W39). */
export function copiedLogsContract(tested: LogUnderTest): void {
  const { append, stamped, keyed, begin, reopen } = tested
  const sayTo = (to: RunId, text: string) =>
    tested.log.append(to, () => ({ by: web, notifications: [said(text)] }))
  const bytesOf = async (log: EventLog, of: RunId) => (await log.read(of, 0, 1_000_000))?.bytes.toString()
  const fork = (upTo: number) =>
    tested.log
      .copy(run, upTo, otherRun)
      .then(() => tested.log.append(otherRun, () => ({ by: hub, notifications: [forked] })))

  describe('W39 copies', () => {
    it('W39 have the same bytes in their lines, and go on independently', async () => {
      await append(web, ['a', 'ü', 'c', 'd'])
      await tested.log.copy(run, 3, otherRun)
      const bytes = await bytesOf(tested.log, run)
      expect(await bytesOf(tested.log, otherRun)).toBe(bytes?.split('\n').slice(0, 3).join('\n').concat('\n'))
      expect((await sayTo(otherRun, 'e')).ids).toEqual([4])
      expect((await append(web, ['f'])).ids).toEqual([5])
      await reopen()
      const [one, other] = [await everything(tested.log, run), await everything(tested.log, otherRun)]
      expect(one.map(({ notification }) => notification.params?.text)).toEqual(['a', 'ü', 'c', 'd', 'f'])
      expect(other.map(({ notification }) => notification.params?.text)).toEqual(['a', 'ü', 'c', 'e'])
    })

    it('W39 are whole, no matter in how many portions they are made', async () => {
      for (let nth = 0; nth < 30; nth += 1) await append(web, [`${nth}`, 'x'.repeat(100_000)])
      await tested.log.copy(run, 59, otherRun)
      const [one, other] = [await everything(tested.log, run), await everything(tested.log, otherRun)]
      expect(other).toEqual(one.slice(0, 59))
    })

    it('W39 of more events than there are leave nothing behind', async () => {
      await append(web, ['a'])
      await expect(tested.log.copy(run, 2, otherRun)).rejects.toThrow()
      expect((await sayTo(otherRun, 'b')).ids).toEqual([1])
    })

    it('W39 that are not wanted any more are removed without a trace', async () => {
      await append(web, ['a', 'b'])
      await fork(2)
      await tested.log.remove(otherRun)
      expect(await tested.log.head(otherRun)).toMatchObject({ lastId: 0, bytes: 0 })
      await reopen()
      await tested.log.remove(otherRun)
      await fork(1)
      expect((await everything(tested.log, otherRun)).length).toBe(2)
      expect((await everything(tested.log, run)).length).toBe(2)
    })

    it('W39 never replace an existing log', async () => {
      await append(web, ['a'])
      await sayTo(otherRun, 'b')
      await expect(tested.log.copy(run, 1, otherRun)).rejects.toThrow()
      await reopen()
      await expect(tested.log.copy(run, 1, otherRun)).rejects.toThrow()
      expect((await everything(tested.log, otherRun)).length).toBe(1)
    })

    it('W39 know nothing of the keys, stamps and lives of the other run, but go on counting its generations', async () => {
      await begin(1)
      await keyed(web, 'k', 'a')
      await append(laptop, ['b'], { life: 7, producer: { id: 'p', epoch: 2, seq: 0 } })
      await stamped(runner, 1, 0, 'c')
      await fork(4)
      await reopen()
      const to = (batch: object) =>
        tested.log.append(otherRun, () => ({ by: web, notifications: [said('new')], ...batch }))
      expect((await to({ key: { key: 'k', body: 'other' } })).ids, 'a key').toEqual([6])
      expect((await to({ by: laptop, life: 1 })).ids, 'a life').toEqual([7])
      expect((await to({ by: laptop, producer: { id: 'p', epoch: 0, seq: 0 } })).ids, 'a stamp').toEqual([8])
      expect(await tested.log.head(otherRun)).toMatchObject({ runnerSeq: null, view: { generation: 1 } })
      await expect(to({ by: { kind: 'runner', generation: 2 } })).rejects.toMatchObject({
        code: 'runner.fenced',
      })
    })
  })
}

import { laptop, runner, secondLaptop, secondRunner, web } from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { everything, type LogUnderTest, run } from './log-under-test.ts'

/** What writers may rely on when they send something twice, late, or with another writer's id (W7 to W9, W34). */
export function logWritersContract(tested: LogUnderTest): void {
  const { append, stamped, keyed, begin, texts, reopen } = tested

  describe('W7 idempotent producers', () => {
    it('W7 a batch sent twice is stored once and gets the original ids, also while it is being stored', async () => {
      const both = await Promise.all([stamped(laptop, 0, 0, 'a', 'b'), stamped(laptop, 0, 0, 'a', 'b')])
      expect(both.map(({ ids }) => ids)).toEqual([
        [1, 2],
        [1, 2],
      ])
      await append(web, ['x'])
      expect(await stamped(laptop, 0, 1, 'b')).toEqual({ ids: [2], lastEventId: 2 })
      await reopen()
      expect((await stamped(laptop, 0, 0, 'a', 'b')).ids).toEqual([1, 2])
      expect(await texts()).toEqual(['a', 'b', 'x'])
    })

    it('W7 of a batch that overlaps only the new part is stored', async () => {
      await stamped(laptop, 0, 0, 'a', 'b')
      await append(web, ['x'])
      expect((await stamped(laptop, 0, 1, 'b', 'c', 'd')).ids).toEqual([2, 4, 5])
      expect(await texts()).toEqual(['a', 'b', 'x', 'c', 'd'])
    })

    it('W7 a gap is refused with the seq that was expected', async () => {
      await expect(stamped(laptop, 0, 1, 'b')).rejects.toMatchObject({
        code: 'producer.gap',
        details: { expected: 0 },
      })
      await stamped(laptop, 0, 0, 'a', 'b')
      await reopen()
      await expect(stamped(laptop, 0, 3, 'd')).rejects.toMatchObject({
        code: 'producer.gap',
        details: { expected: 2 },
      })
    })

    it('W7 a higher epoch starts again at 0, and the lower one is fenced', async () => {
      await stamped(laptop, 1, 0, 'a', 'b')
      await expect(stamped(laptop, 2, 2, 'c')).rejects.toMatchObject({
        code: 'producer.gap',
        details: { expected: 0 },
      })
      await stamped(laptop, 2, 0, 'c')
      await expect(stamped(laptop, 1, 2, 'd')).rejects.toMatchObject({
        code: 'producer.fenced',
        details: { current: 2 },
      })
      expect(await texts()).toEqual(['a', 'b', 'c'])
    })

    it('W7 no author can fence another one, or make its events look like duplicates, with any producer id', async () => {
      await begin(1)
      await stamped(laptop, 9, 0, 'a')
      await stamped(secondLaptop, 0, 0, 'b')
      await stamped(runner, 1, 0, 'c')
      expect(await texts()).toEqual([undefined, 'a', 'b', 'c'])
    })

    it('W7 a duplicate from long ago still gets its original ids', async () => {
      const ids: number[] = []
      for (let seq = 0; seq < 400; seq += 1) {
        const appends = [stamped(laptop, 0, seq, `s${seq}`), append(web, ['between'])]
        ids.push((await Promise.all(appends))[0]!.ids[0]!)
      }
      expect((await stamped(laptop, 0, 3, 's3', 's4')).ids).toEqual(ids.slice(3, 5))
      expect((await stamped(laptop, 0, 0, ...ids.map((_, seq) => `s${seq}`), 'new')).ids).toEqual([
        ...ids,
        801,
      ])
    })
  })

  describe('W34 devices', () => {
    it('W34 what an earlier life sent is refused once a later one has written, across restarts', async () => {
      await append(laptop, ['a'], { life: 3, key: { key: 'k', body: 'a' } })
      await append(laptop, ['b'], { life: 4 })
      const late = { code: 'device.fenced', details: { current: 4 } }
      await expect(append(laptop, ['c'], { life: 3 })).rejects.toMatchObject(late)
      await reopen()
      await expect(append(laptop, ['c'], { life: 3 })).rejects.toMatchObject(late)
      const known = await append(laptop, ['a'], { life: 3, key: { key: 'k', body: 'a' } })
      expect(known.ids, 'what is in the log is acknowledged').toEqual([1])
      await append(laptop, ['d'], { life: 4 })
      expect(await texts()).toEqual(['a', 'b', 'd'])
    })

    it('W34 no device ends the life of another, and a device that names no life is not checked', async () => {
      await append(laptop, ['a'], { life: 9 })
      await append(secondLaptop, ['b'], { life: 1 })
      await append(laptop, ['c'])
      expect(await texts()).toEqual(['a', 'b', 'c'])
      expect((await everything(tested.log, run)).map(({ life }) => life)).toEqual([9, 1, undefined])
    })
  })

  describe('W8 runners', () => {
    it('W8 a stale runner is refused from the moment the next generation begins', async () => {
      await begin(1)
      await stamped(runner, 1, 0, 'a')
      const beginning = begin(2)
      await expect(stamped(runner, 1, 1, 'b')).rejects.toMatchObject({
        code: 'runner.fenced',
        details: { current: 2 },
      })
      await beginning
      await stamped(secondRunner, 2, 0, 'c')
      await reopen()
      await expect(stamped(runner, 1, 0, 'a')).rejects.toMatchObject({ code: 'runner.fenced' })
      expect(await texts()).toEqual([undefined, 'a', undefined, 'c'])
    })

    it('W8 a runner that has not begun is refused', async () => {
      await expect(append(runner, ['a'])).rejects.toMatchObject({
        code: 'runner.fenced',
        details: { current: 0 },
      })
    })

    it("W8 a runner's epoch is its generation", async () => {
      await begin(1)
      await begin(2)
      await expect(stamped(secondRunner, 1, 0, 'a')).rejects.toMatchObject({ code: 'producer.fenced' })
      await expect(stamped(secondRunner, 3, 0, 'a')).rejects.toMatchObject({ code: 'request.malformed' })
    })

    it('W8 the head tells the last seq of the current generation', async () => {
      const seqs: (number | null)[] = []
      const look = async () => seqs.push((await tested.log.head(run)).runnerSeq)
      await look()
      await begin(1)
      await look()
      await stamped(runner, 1, 0, 'a', 'b')
      await look()
      await begin(2)
      await look()
      expect(seqs).toEqual([null, null, 1, null])
    })
  })

  describe('W9 keys', () => {
    it('W9 the same key and body is stored once, also while it is being stored and after a restart', async () => {
      const both = await Promise.all([keyed(web, 'k', 'a'), keyed(web, 'k', 'a')])
      expect(both.map(({ ids }) => ids)).toEqual([[1], [1]])
      await reopen()
      expect((await keyed(web, 'k', 'a')).ids).toEqual([1])
      expect(await texts()).toEqual(['a'])
    })

    it('W9 the same key with another body is refused', async () => {
      await keyed(web, 'k', 'a')
      await expect(keyed(web, 'k', 'b')).rejects.toMatchObject({ code: 'key.reused' })
    })

    it('W9 the same key of another author is another key', async () => {
      await keyed(web, 'k', 'a')
      expect((await keyed(laptop, 'k', 'b')).ids).toEqual([2])
    })
  })
}

import type { Author, KeyStamp, Notification, ProducerStamp, StoredEvent } from '@farhand/protocol/event'
import type { RunId } from '@farhand/protocol/ids'
import { hub, laptop, runner, secondLaptop, secondRunner, web } from '@farhand/protocol/story'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Appended, EventLog } from './event-log.ts'

export type LogUnderTest = { log: EventLog; reopen(): Promise<EventLog> }

const run = 'run_contract1' as RunId
const otherRun = 'run_contract2' as RunId

export const said = (text: string): Notification => ({
  jsonrpc: '2.0',
  method: '_test/said',
  params: { text },
})

export const sessionStart = (generation: number): Notification => ({
  jsonrpc: '2.0',
  method: '_posthog/session_start',
  params: { sandboxId: 'none', generation },
})

/** All events of a run, read with a cursor in small steps. */
export async function everything(log: EventLog, of: RunId, maxBytes = 1000): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (;;) {
    const stretch = await log.read(of, events.at(-1)?.id ?? 0, maxBytes)
    if (!stretch) return events
    for (const line of stretch.bytes.toString().split('\n').slice(0, -1)) events.push(JSON.parse(line))
  }
}

/** What every event log must do. `make` opens an empty one that tells the time with `now`. */
export function eventLogContract(make: (now: () => number) => Promise<LogUnderTest>): void {
  let log: EventLog
  let reopen: () => Promise<void>
  let now = 0

  beforeEach(async () => {
    now = Date.UTC(2026, 0, 1)
    const made = await make(() => now)
    log = made.log
    reopen = async () => {
      log = await made.reopen()
    }
  })

  const append = (
    by: Author,
    texts: string[],
    stamps: { producer?: ProducerStamp; key?: KeyStamp; life?: number } = {},
  ): Promise<Appended> => log.append(run, () => ({ by, notifications: texts.map(said), ...stamps }))
  const stamped = (by: Author, epoch: number, seq: number, ...texts: string[]) =>
    append(by, texts, { producer: { id: 'p', epoch, seq } })
  const keyed = (by: Author, key: string, body: string) => append(by, [body], { key: { key, body } })
  const begin = (generation: number) =>
    log.append(run, () => ({ by: hub, notifications: [sessionStart(generation)] }))
  const texts = async () => (await everything(log, run)).map(({ notification }) => notification.params?.text)

  describe('W4 events', () => {
    it('W4 get dense ids from 1, each run its own', async () => {
      expect(await append(web, ['a', 'b'])).toEqual({ ids: [1, 2], lastEventId: 2 })
      expect(await append(web, ['c'])).toEqual({ ids: [3], lastEventId: 3 })
      const other = await log.append(otherRun, () => ({ by: web, notifications: [said('d')] }))
      expect(other.ids).toEqual([1])
      expect(await texts()).toEqual(['a', 'b', 'c'])
    })

    it('W4 are stored as one line each, with who wrote them and their stamps', async () => {
      await append(laptop, ['line\nfeed'], { producer: { id: 'p', epoch: 2, seq: 0 } })
      await append(web, ['ü'], { key: { key: 'k', body: 'digest' } })
      const stretch = await log.read(run, 0, 10_000)
      expect(stretch?.bytes.toString().split('\n')).toEqual([
        '{"id":1,"type":"notification","timestamp":"2026-01-01T00:00:00.000Z","notification":{"jsonrpc":"2.0","method":"_test/said","params":{"text":"line\\nfeed"}},"by":{"kind":"device","id":"dev_laptop00"},"producer":{"id":"p","epoch":2,"seq":0}}',
        '{"id":2,"type":"notification","timestamp":"2026-01-01T00:00:00.000Z","notification":{"jsonrpc":"2.0","method":"_test/said","params":{"text":"ü"}},"by":{"kind":"web","id":"usr_someone0"},"key":{"key":"k","body":"digest"}}',
        '',
      ])
    })

    it('W4 never go back in time, even when the clock does, and even after a restart', async () => {
      await append(web, ['a'])
      now -= 60_000
      await append(web, ['b'])
      await reopen()
      await append(web, ['c'])
      now += 61_000
      await append(web, ['d'])
      const times = (await everything(log, run)).map(({ timestamp }) => timestamp)
      expect(times.slice(0, 3)).toEqual(Array(3).fill('2026-01-01T00:00:00.000Z'))
      expect(times[3]).toBe('2026-01-01T00:00:01.000Z')
    })
  })

  describe('W5 durability', () => {
    it('W5 nobody sees an event before its append has resolved', async () => {
      await append(web, ['a'])
      const appending = append(web, ['b'])
      expect(log.recent(run, 1, 1000) ?? null).toBeNull()
      expect((await log.head(run)).lastId).toBe(1)
      await appending
      expect((await log.read(run, 1, 1000))?.firstId).toBe(2)
      expect((await log.head(run)).lastId).toBe(2)
    })

    it('W5 what was acknowledged is there after a restart, with the same head', async () => {
      await begin(1)
      await stamped(runner, 1, 0, 'a', 'b')
      const head = await log.head(run)
      const events = await everything(log, run)
      await reopen()
      expect(await log.head(run)).toEqual(head)
      expect(await everything(log, run)).toEqual(events)
    })

    it('W5 closing waits for what was admitted and refuses what comes later', async () => {
      const appending = append(web, ['a'])
      await log.close()
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
          log.append(run, ({ lastId }) => {
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
      await expect(log.append(run, refuse)).rejects.toThrow('no')
      expect((await append(web, ['a'])).ids).toEqual([1])
    })

    it('that carries a refusal is refused only if something of it is new', async () => {
      const refusal = new Error('closed') as never
      const retry = { by: web, notifications: [said('a')], key: { key: 'k', body: 'a' }, refusal }
      await expect(log.append(run, () => retry)).rejects.toThrow('closed')
      await keyed(web, 'k', 'a')
      expect((await log.append(run, () => retry)).ids).toEqual([1])
    })
  })

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

    it('W7 no one can fence or answer for another, whatever id they choose', async () => {
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

    it('W34 no device ends the life of another, and whoever says nothing of lives is not asked', async () => {
      await append(laptop, ['a'], { life: 9 })
      await append(secondLaptop, ['b'], { life: 1 })
      await append(laptop, ['c'])
      expect(await texts()).toEqual(['a', 'b', 'c'])
      expect((await everything(log, run)).map(({ life }) => life)).toEqual([9, 1, undefined])
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
      const look = async () => seqs.push((await log.head(run)).runnerSeq)
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

    it('W9 the same key of someone else is another key', async () => {
      await keyed(web, 'k', 'a')
      expect((await keyed(laptop, 'k', 'b')).ids).toEqual([2])
    })
  })

  describe('a reader', () => {
    it('gets as many whole lines as fit, but at least one, and null at the end', async () => {
      await append(web, ['a', 'b', 'c'])
      const all = (await log.read(run, 0, 10_000))!
      const lineBytes = all.bytes.length / 3
      const lastIds = await Promise.all(
        [1, lineBytes, 2 * lineBytes - 1, 2 * lineBytes].map(async (maxBytes) => {
          const stretch = (await log.read(run, 0, maxBytes))!
          expect(stretch.bytes).toEqual(all.bytes.subarray(0, stretch.lastId * lineBytes))
          return stretch.lastId
        }),
      )
      expect(lastIds).toEqual([1, 1, 1, 2])
      expect(await log.read(run, 3, 1)).toBeNull()
      expect(await log.read(otherRun, 0, 1)).toBeNull()
    })

    it('finds every line in a log of short and very long ones', async () => {
      const sizes = [10, 3, 200_000, 5, 1, 1_000_000, 8, 70_000, 2, 40, 33_000, 1]
      const lines = Array.from({ length: 120 }, (_, n) => `${n} ${'x'.repeat(sizes[n % sizes.length]!)}`)
      for (let at = 0; at < lines.length; at += 12) await append(web, lines.slice(at, at + 12))
      await reopen()
      for (const after of [119, 0, 60, 5, 4, 77, 113, 6, 30, 118, 1, 99]) {
        const stretch = await log.read(run, after, 1)
        expect(stretch).toMatchObject({ firstId: after + 1, lastId: after + 1 })
        expect(JSON.parse(stretch!.bytes.toString()).notification.params.text).toBe(lines[after])
      }
    })

    it('W18 with a cursor misses nothing and gets nothing twice, whatever is appended meanwhile', async () => {
      const got: number[] = []
      let wake = () => {}
      const stop = log.onGrowth(run, () => wake())
      const reading = (async () => {
        while (got.length < 500) {
          // Listening first: what becomes durable between the look and the wait rings a bell that is already hung.
          const rung = new Promise<void>((resolve) => {
            wake = resolve
          })
          const stretch = log.recent(run, got.length, 700) ?? (await log.read(run, got.length, 700))
          if (!stretch) await rung
          else for (let id = stretch.firstId; id <= stretch.lastId; id += 1) got.push(id)
        }
      })()
      for (let n = 0; n < 100; n += 1) await append(web, ['a', 'b', 'c', 'd', 'e'])
      await reading
      stop()
      expect(got).toEqual(Array.from({ length: 500 }, (_, n) => n + 1))
    })
  })

  describe('the bell', () => {
    it('rings once the events can be read, for each that listens and only for its run, until it stops', async () => {
      const rings: string[] = []
      const look = (name: string) => () => rings.push(`${name} ${log.recent(run, 0, 1000)?.lastId}`)
      log.onGrowth(run, look('first'))
      const stop = log.onGrowth(run, look('second'))
      log.onGrowth(otherRun, look('other'))
      await append(web, ['a'])
      stop()
      await append(web, ['b'])
      expect(rings).toEqual(['first 1', 'second 1', 'first 2'])
    })

    it('rings for everyone else when one of them fails', async () => {
      let rings = 0
      log.onGrowth(run, () => {
        throw new Error('a reader broke')
      })
      log.onGrowth(run, () => {
        rings += 1
      })
      await append(web, ['a'])
      expect(rings).toBe(1)
    })
  })
}

import type { Timing } from '@farhand/protocol/schemas/schedules'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DueTimes, latestDue, nextDue, whyNoTiming } from './due-times.ts'
import { anyDueTimes } from './due-times-under-test.ts'

const at = (text: string) => Date.parse(text)
const cron = (text: string, zone = 'Europe/Berlin'): DueTimes => ({
  timing: { kind: 'cron', cron: text, zone },
  anchor: 0,
})
const once = (local: string, zone = 'Europe/Berlin'): DueTimes => ({
  timing: { kind: 'once', at: local, zone },
  anchor: 0,
})

/** The next due times after a moment, as text. */
function times(of: DueTimes, after: string, count: number): string[] {
  const found: string[] = []
  for (let due = nextDue(of, at(after)); due !== null && found.length < count; due = nextDue(of, due))
    found.push(new Date(due).toISOString().slice(0, 16))
  return found
}

describe('a cron schedule', () => {
  it('W91 follows the local time of its zone through both changes of the clock', () => {
    const nine = cron('0 9 * * 1-5')
    expect(times(nine, '2026-03-27T12:00:00Z', 2)).toEqual(['2026-03-30T07:00', '2026-03-31T07:00'])
    expect(times(nine, '2026-10-23T12:00:00Z', 2)).toEqual(['2026-10-26T08:00', '2026-10-27T08:00'])
  })

  it('W91 of a single local time that the clocks skip is due at the moment of the change', () => {
    expect(times(cron('30 2 * * *'), '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ])
  })

  it('W91 of a single local time that comes twice is due the first time only', () => {
    expect(times(cron('30 2 * * *'), '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
  })

  it('W91 that repeats within hours leaves out the skipped hour, and is due in both of a doubled one', () => {
    const quarters = cron('*/30 2 * * *')
    expect(times(quarters, '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-30T00:00', '2026-03-30T00:30'])
    expect(times(quarters, '2026-10-24T12:00:00Z', 5)).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-26T01:00',
    ])
  })

  it('W91 knows changes of half an hour', () => {
    const every = cron('*/30 1-2 * * *', 'Australia/Lord_Howe')
    expect(times(every, '2026-04-04T13:00:00Z', 6)).toEqual([
      '2026-04-04T14:00',
      '2026-04-04T14:30',
      '2026-04-04T15:00',
      '2026-04-04T15:30',
      '2026-04-04T16:00',
      '2026-04-05T14:30',
    ])
  })
})

describe('a schedule for one time', () => {
  it('W91 is due once, at the local time of its zone', () => {
    expect(times(once('2026-07-01T09:00'), '2026-01-01T00:00:00Z', 3)).toEqual(['2026-07-01T07:00'])
    expect(nextDue(once('2026-07-01T09:00'), at('2026-07-01T07:00:00Z'))).toBeNull()
  })

  it('W91 at a local time that the clocks skip is due as if they had not changed, and of a doubled one the first time', () => {
    expect(times(once('2026-03-29T02:30'), '2026-01-01T00:00:00Z', 1)).toEqual(['2026-03-29T01:30'])
    expect(times(once('2026-10-25T02:30'), '2026-01-01T00:00:00Z', 1)).toEqual(['2026-10-25T00:30'])
  })
})

describe('a timing', () => {
  const now = at('2026-01-01T00:00:00Z')
  it.each<[Timing, string]>([
    [{ kind: 'once', at: '2025-12-31T09:00', zone: 'UTC' }, 'timing.at'],
    [{ kind: 'once', at: '2026-12-31T09:00', zone: 'Mars/Olympus' }, 'timing.zone'],
    [{ kind: 'cron', cron: '0 9 * * 1-5', zone: 'Europe/Atlantis' }, 'timing.zone'],
    [{ kind: 'cron', cron: '0 0 30 2 *', zone: 'UTC' }, 'timing.cron'],
    [{ kind: 'cron', cron: '61 * * * *', zone: 'UTC' }, 'timing.cron'],
    [{ kind: 'cron', cron: '* * * * * *', zone: 'UTC' }, 'timing.cron'],
    [{ kind: 'cron', cron: '*/0 * * * *', zone: 'UTC' }, 'timing.cron'],
  ])('W91 that is never due, or not understood, is refused with its field: %j', (timing, field) => {
    expect(whyNoTiming(timing, now)).toMatchObject({ field })
  })

  it('W91 that is due some day is taken', () => {
    expect(whyNoTiming({ kind: 'cron', cron: '0 0 29 2 *', zone: 'UTC' }, now)).toBeNull()
    expect(whyNoTiming({ kind: 'every', seconds: 60 }, now)).toBeNull()
  })
})

const changes = [at('2026-03-29T01:00:00Z'), at('2026-10-25T01:00:00Z'), at('2026-11-01T06:00:00Z')]
const aroundChanges = fc
  .record({
    change: fc.constantFrom(...changes),
    ms: fc.integer({ min: -2 * 86_400_000, max: 2 * 86_400_000 }),
  })
  .map(({ change, ms }) => change + ms)

describe('the due times of any schedule', () => {
  it('W91 are the same whether they are counted forwards or backwards', () => {
    fc.assert(
      fc.property(anyDueTimes, aroundChanges, (of, from) => {
        const forwards: number[] = []
        for (let due = nextDue(of, from); due !== null && forwards.length < 8; due = nextDue(of, due)) {
          expect(due).toBeGreaterThan(forwards.at(-1) ?? from)
          forwards.push(due)
        }
        const last = forwards.at(-1)!
        expect(latestDue(of, last, forwards.length)).toEqual([...forwards].reverse())
        expect(latestDue(of, last - 1, 1)[0]).toBe(forwards.at(-2))
        expect(nextDue(of, forwards[0]! - 1)).toBe(forwards[0])
      }),
      { numRuns: 60 },
    )
  })
})

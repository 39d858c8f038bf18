import { type CatchUp, scheduleLimits } from '@farhand/protocol/schemas/schedules'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accountFor, type Entry, onTimeMs } from './catch-up.ts'
import { type DueTimes, nextDue } from './due-times.ts'
import { anyDueTimes } from './due-times-under-test.ts'

const hourMs = 3_600_000
const hourly: DueTimes = { timing: { kind: 'every', seconds: 3600 }, anchor: 0 }
const account = (
  catchUp: CatchUp,
  now: number,
  more: { until?: number; of?: DueTimes; nextDueAt?: number } = {},
) => accountFor({ of: hourly, catchUp, nextDueAt: hourMs, until: null, ...more }, now)
const line = (first: number, due: number, state: Entry['state'] = 'due') =>
  expect.objectContaining({
    firstDueAt: first * hourMs,
    dueAt: due * hourMs,
    standsFor: due - first + 1,
    state,
  })

describe('due times while no hub was running', () => {
  const now = 4.5 * hourMs
  it('W92 get one run for all of them by default, at the latest one', () => {
    expect(account('latest', now)).toEqual({ entries: [line(1, 4)], nextDueAt: 5 * hourMs })
  })

  it('W92 are missed, in one line, if the schedule says to skip them', () => {
    expect(account('skip', now)).toEqual({ entries: [line(1, 4, 'missed')], nextDueAt: 5 * hourMs })
  })

  it('W92 get a run each if the schedule says so', () => {
    expect(account('all', now).entries).toEqual([line(1, 1), line(2, 2), line(3, 3), line(4, 4)])
  })

  it('W92 get a run each up to a limit, and the ones before are missed', () => {
    const { entries } = account('all', 30 * hourMs)
    expect(entries).toHaveLength(scheduleLimits.caughtUp + 1)
    expect(entries[0]).toEqual(line(1, 20, 'missed'))
    expect(entries[1]).toEqual(line(21, 21))
  })

  it('W92 that are only a moment late are on time', () => {
    const late = hourMs + onTimeMs
    expect(account('skip', late).entries).toEqual([line(1, 1)])
    expect(account('skip', late + 1).entries).toEqual([line(1, 1, 'missed')])
    expect(account('skip', 3 * hourMs + 1).entries).toEqual([line(1, 2, 'missed'), line(3, 3)])
  })

  it('W92 after the end of the schedule do not count', () => {
    expect(account('latest', now, { until: 2.5 * hourMs })).toEqual({
      entries: [line(1, 2)],
      nextDueAt: null,
    })
    expect(account('latest', 0.5 * hourMs, { until: 0.9 * hourMs })).toEqual({ entries: [], nextDueAt: null })
    expect(account('latest', 0.5 * hourMs, { until: hourMs })).toEqual({ entries: [], nextDueAt: hourMs })
  })

  it('W92 that are a great many are counted up to a limit', () => {
    const minutely: DueTimes = { timing: { kind: 'cron', cron: '* * * * *', zone: 'UTC' }, anchor: 0 }
    const yearMs = 365 * 24 * hourMs
    const { entries, nextDueAt } = account('latest', yearMs, { of: minutely, nextDueAt: 60_000 })
    expect(entries).toEqual([expect.objectContaining({ firstDueAt: 60_000, dueAt: yearMs, standsFor: 100 })])
    expect(nextDueAt).toBe(yearMs + 60_000)
  })
})

describe('the ledger of any schedule', () => {
  it('W94 accounts for each due time once, however often and however long no hub was running', () => {
    const policy = fc.constantFrom<CatchUp>('skip', 'latest', 'all')
    const pauses = fc.array(
      fc.oneof(fc.integer({ min: 1, max: 120_000 }), fc.integer({ min: 1, max: 12 * hourMs })),
      {
        minLength: 1,
        maxLength: 12,
      },
    )
    const start = Date.parse('2026-03-28T12:00:00Z')
    fc.assert(
      fc.property(anyDueTimes, policy, pauses, (of, catchUp, pauses) => {
        const entries: Entry[] = []
        let next = nextDue(of, start)
        let now = start
        for (const ms of pauses) {
          now += ms
          if (next === null || next > now) continue
          const done = accountFor({ of, catchUp, nextDueAt: next, until: null }, now)
          entries.push(...done.entries)
          next = done.nextDueAt
        }
        let due = nextDue(of, start)
        for (const entry of entries) {
          expect(entry.firstDueAt).toBe(due)
          let count = 0
          for (; due !== null && due <= entry.dueAt; due = nextDue(of, due)) count += 1
          expect(entry.standsFor).toBe(Math.min(count, scheduleLimits.counted))
        }
        expect(next).toBe(due)
        expect(due === null || due > now).toBe(true)
      }),
      { numRuns: 20 },
    )
  })
})

import fc from 'fast-check'
import type { DueTimes } from './due-times.ts'

const field = (most: number, least = 0) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: least, max: most }).map(String),
    fc.integer({ min: 2, max: 7 }).map((step) => `*/${step}`),
  )
/** Schedules that are due often enough for a search by the minute. */
export const anyDueTimes: fc.Arbitrary<DueTimes> = fc.oneof(
  fc
    .record({
      minute: field(59),
      hour: field(23),
      zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
    })
    .map(
      ({ minute, hour, zone }): DueTimes => ({
        timing: { kind: 'cron', cron: `${minute} ${hour} * * *`, zone },
        anchor: 0,
      }),
    ),
  fc
    .record({ seconds: fc.integer({ min: 60, max: 90_000 }), anchor: fc.integer({ min: 0, max: 10 ** 12 }) })
    .map(({ seconds, anchor }): DueTimes => ({ timing: { kind: 'every', seconds }, anchor })),
)

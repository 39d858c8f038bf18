import { endOfSchedules, type Timing, tooLate } from '@farhand/protocol/schemas/schedules'
import { Cron } from 'croner'

/** When a schedule is due: its timing, and from when its intervals are counted. All times are milliseconds since 1970. */
export type DueTimes = { timing: Timing; anchor: number }

/** The first due time after `after`; null if there is none. */
export function nextDue({ timing, anchor }: DueTimes, after: number): number | null {
  switch (timing.kind) {
    case 'once': {
      const at = onceAt(timing)
      return at > after ? at : null
    }
    case 'every': {
      const stepMs = timing.seconds * 1000
      const first = timing.from === undefined ? anchor + stepMs : Date.parse(timing.from)
      return after < first ? first : first + (Math.floor((after - first) / stepMs) + 1) * stepMs
    }
    case 'cron':
      return cronOf(timing).nextRun(new Date(after))?.getTime() ?? null
  }
}

/** The latest due times up to `upTo`, itself included, at most `most` of them and the latest first. */
export function latestDue({ timing, anchor }: DueTimes, upTo: number, most: number): number[] {
  switch (timing.kind) {
    case 'once': {
      const at = onceAt(timing)
      return at <= upTo ? [at] : []
    }
    case 'every': {
      const stepMs = timing.seconds * 1000
      const first = timing.from === undefined ? anchor + stepMs : Date.parse(timing.from)
      const count = Math.max(0, Math.floor((upTo - first) / stepMs) + 1)
      return Array.from({ length: Math.min(count, most) }, (_, n) => first + (count - 1 - n) * stepMs)
    }
    case 'cron': {
      // The library gives what is before a whole second.
      const before = new Date(Math.floor(upTo / 1000) * 1000 + 1000)
      return cronOf(timing)
        .previousRuns(most, before)
        .map((at) => at.getTime())
    }
  }
}

/** A due time, or null if it comes after the end of the schedule or of all schedules. */
export const unlessOver = (at: number | null, until: number | null): number | null =>
  at === null || at >= endOfSchedules || (until !== null && at > until) ? null : at

/** What is wrong with a timing that a schedule is to have from `now` on; null if nothing is. */
export function whyNoTiming(timing: Timing, now: number): { field: string; why: string } | null {
  if (timing.kind !== 'every' && !isZone(timing.zone))
    return {
      field: 'timing.zone',
      why: `${timing.zone} is no time zone that this hub knows; expected a name like Europe/Berlin`,
    }
  if (timing.kind === 'once') {
    const at = onceAt(timing)
    if (at <= now) return { field: 'timing.at', why: `${timing.at} in ${timing.zone} is past` }
    if (at >= endOfSchedules) return { field: 'timing.at', why: tooLate }
  }
  if (timing.kind === 'every' && timing.from !== undefined && Date.parse(timing.from) >= endOfSchedules)
    return { field: 'timing.from', why: tooLate }
  if (timing.kind !== 'cron') return null
  const field = 'timing.cron'
  try {
    const next = nextDue({ timing, anchor: now }, now)
    if (next !== null && next >= endOfSchedules) return { field, why: tooLate }
    if (next === null) return { field, why: `${timing.cron} never happens: no month has such a day` }
    return null
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error)
    return { field, why: `${said.slice(0, 300)}; expected five fields, such as 0 9 * * 1-5` }
  }
}

/** The moment of a local time. One that the clocks skip is taken as if they had not changed; of one that comes twice, the first. */
const onceAt = ({ at, zone }: Extract<Timing, { kind: 'once' }>): number =>
  new Cron(`${at}:00`, { timezone: zone, paused: true }).getOnce()!.getTime()

const cronOf = ({ cron, zone }: Extract<Timing, { kind: 'cron' }>): Cron =>
  new Cron(cron, { timezone: zone, mode: '5-part', paused: true })

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

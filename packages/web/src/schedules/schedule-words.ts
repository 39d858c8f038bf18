import type { OccurrenceState, Schedule } from '@farhand/protocol/schemas/schedules'
import { dueInWords, zoneOf } from '@farhand/story/wording/schedule-in-words'
import type { Tone } from '../ui/badge.tsx'

/** The time zone of this browser. */
export const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** A time as the schedule means it, in its own zone. Browsers do not know every zone that a hub knows. */
export function dueHere(schedule: Pick<Schedule, 'timing'>, at: string): string {
  try {
    return dueInWords(at, zoneOf(schedule.timing, zoneHere()))
  } catch {
    return dueInWords(at, 'UTC')
  }
}

export const statusTones: Readonly<Record<Schedule['status'], Tone>> = {
  active: 'good',
  paused: 'warn',
  ended: 'plain',
}

export const stateTones: Readonly<Record<OccurrenceState, Tone>> = {
  due: 'plain',
  claimed: 'plain',
  started: 'accent',
  finished: 'good',
  failed: 'bad',
  missed: 'warn',
  skipped: 'plain',
}

/** The link back from the page of a schedule. */
export const toSchedules = { to: { is: 'schedules' }, label: 'Back to the schedules' } as const

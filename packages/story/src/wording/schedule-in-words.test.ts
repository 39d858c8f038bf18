import type { Timing } from '@farhand/protocol/schemas/schedules'
import { describe, expect, it } from 'vitest'
import { dueInWords, occurrenceDetails, timingInWords, titleWithSchedule } from './schedule-in-words.ts'

const cron = (text: string): Timing => ({ kind: 'cron', cron: text, zone: 'Europe/Berlin' })

describe('a schedule in words', () => {
  it.each<[Timing, string]>([
    [cron('0 9 * * 1-5'), 'Monday to Friday at 09:00 (Europe/Berlin)'],
    [cron('30 18 * * *'), 'every day at 18:30 (Europe/Berlin)'],
    [cron('0 9 * * 0'), 'every Sunday at 09:00 (Europe/Berlin)'],
    [cron('5 * * * *'), 'every hour at minute 5 (Europe/Berlin)'],
    [cron('5 * * * 1'), '5 * * * 1 (Europe/Berlin)'],
    [cron('*/5 9 1 * *'), '*/5 9 1 * * (Europe/Berlin)'],
    [{ kind: 'every', seconds: 7200 }, 'every 2 hours'],
    [{ kind: 'every', seconds: 86_400 }, 'every day'],
    [{ kind: 'every', seconds: 90 }, 'every 90 seconds'],
    [{ kind: 'once', at: '2026-01-01T09:00', zone: 'UTC' }, 'once, 2026-01-01 09:00 (UTC)'],
  ])('%j reads: %s', (timing, words) => expect(timingInWords(timing)).toBe(words))

  it('shows a due time in the zone of the schedule', () => {
    expect(dueInWords('2026-07-01T07:00:00.000Z', 'Europe/Berlin')).toBe('Wed, 1 Jul 2026 09:00')
  })

  it('is named with a run that it started', () => {
    expect(titleWithSchedule({ title: 'Nightly' })).toBe('Nightly')
    expect(titleWithSchedule({ title: 'Nightly', schedule: { name: 'Nightly' } })).toBe(
      'Nightly (from a schedule)',
    )
    expect(titleWithSchedule({ title: 'Mend it', schedule: { name: 'Nightly' } })).toBe(
      'Mend it (from schedule Nightly)',
    )
  })

  it('says of an occurrence what else it stands for, and why it ended', () => {
    expect(occurrenceDetails({ by: 'time', standsFor: 1, reason: null })).toBe('')
    expect(occurrenceDetails({ by: 'time', standsFor: 100, reason: 'No.' })).toBe(
      'It stands for 100 or more due times. No.',
    )
  })
})

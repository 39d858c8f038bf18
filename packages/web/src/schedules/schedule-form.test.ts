import type { Schedule, Timing } from '@farhand/protocol/schemas/schedules'
import { describe, expect, it } from 'vitest'
import {
  emptyScheduleForm,
  fieldOfRefused,
  formOfSchedule,
  planSchedule,
  type ScheduleForm,
} from './schedule-form.ts'

const filled: ScheduleForm = {
  ...emptyScheduleForm('Europe/Berlin'),
  project: 'prj_12345678',
  agent: 'rehearsal',
  prompt: ' Water it \nand look around',
}
const planned = (more: Partial<ScheduleForm>, before: Schedule | null = null) =>
  planSchedule({ ...filled, ...more }, before)
const timing = (more: Partial<ScheduleForm>) => {
  const made = planned(more)
  return 'plan' in made ? made.plan.timing : made.troubles
}

describe('the form of a schedule', () => {
  it.each<[Partial<ScheduleForm>, Timing]>([
    [{ repeats: 'workdays' }, { kind: 'cron', cron: '0 9 * * 1-5', zone: 'Europe/Berlin' }],
    [
      { repeats: 'daily', time: '18:05' },
      { kind: 'cron', cron: '5 18 * * *', zone: 'Europe/Berlin' },
    ],
    [
      { repeats: 'weekly', weekday: '0' },
      { kind: 'cron', cron: '0 9 * * 0', zone: 'Europe/Berlin' },
    ],
    [
      { repeats: 'hours', hours: '1.5' },
      { kind: 'every', seconds: 5400 },
    ],
    [
      { repeats: 'once', at: '2026-01-31T09:00' },
      { kind: 'once', at: '2026-01-31T09:00', zone: 'Europe/Berlin' },
    ],
    [
      { repeats: 'cron', cron: ' 1  2 3 4 5 ', zone: 'UTC' },
      { kind: 'cron', cron: '1 2 3 4 5', zone: 'UTC' },
    ],
  ])('%j is due %j, and is shown in the same way when it is edited', (more, due) => {
    expect(timing(more)).toEqual(due)
    const made = planned(more)
    if (!('plan' in made)) expect.unreachable()
    const stored = { ...made.plan, until: null, maxRuns: null, callback: null } as unknown as Schedule
    expect(planSchedule(formOfSchedule(stored, 'Europe/Berlin'), stored)).toEqual(made)
  })

  it.each<[Partial<ScheduleForm>, string]>([
    [{ prompt: ' ' }, 'prompt'],
    [{ agent: '' }, 'agent'],
    [{ project: '' }, 'project'],
    [{ repeats: 'daily', time: '' }, 'time'],
    [{ repeats: 'hours', hours: '0' }, 'hours'],
    [{ repeats: 'once', at: '' }, 'at'],
    [{ repeats: 'cron', cron: 'at nine' }, 'cron'],
    [{ zone: 'not a zone!' }, 'zone'],
    [{ pauseAfter: '0' }, 'pauseAfter'],
    [{ maxRuns: 'many' }, 'maxRuns'],
    [{ cloneUrl: 'git@example.org:x' }, 'cloneUrl'],
    [{ callbackUrl: 'example.org' }, 'callbackUrl'],
  ])('says beside the field what is wrong with %j', (more, field) => {
    expect(planned(more)).toEqual({ troubles: { [field]: expect.any(String) } })
  })

  it('is named after its first line, and keeps what the form does not show', () => {
    const made = planned({})
    if (!('plan' in made)) expect.unreachable()
    expect(made.plan.name).toBe('Water it')
    const before = {
      ...made.plan,
      ...{ until: null, maxRuns: null },
      run: { ...made.plan.run, sandbox: 'bubblewrap', terms: { secrets: ['KEY'], setup: 'old' } },
      callback: { url: 'https://a.example/', events: ['done'], hasSecret: true },
    } as unknown as Schedule
    const again = planned({ setup: 'npm ci', callbackUrl: 'https://a.example/' }, before)
    expect(again).toMatchObject({
      plan: {
        run: { sandbox: 'bubblewrap', terms: { secrets: ['KEY'], setup: 'npm ci' } },
        callback: { events: ['done'] },
      },
    })
  })

  it('shows an error of the hub beside its field', () => {
    expect(fieldOfRefused('timing.cron')).toBe('cron')
    expect(fieldOfRefused('terms.clone.url')).toBe('cloneUrl')
    expect(fieldOfRefused('callback.url')).toBe('callbackUrl')
    expect(fieldOfRefused(undefined)).toBe('form')
  })
})

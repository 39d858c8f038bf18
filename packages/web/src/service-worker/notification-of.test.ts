import { describe, expect, it } from 'vitest'
import { notificationOf } from './notification-of.ts'

const said = (more: object) =>
  notificationOf(
    JSON.stringify({
      kind: 'done',
      run: 'run_1',
      title: 'Mend it',
      projectName: 'shop',
      eventId: 7,
      ...more,
    }),
  )

describe('the notification for a push message of the hub', () => {
  it('names its kind and its run, and leads there; a question to the question itself', () => {
    expect(said({})).toMatchObject({
      title: 'Done: Mend it',
      options: { body: 'shop', tag: 'run_1 done', data: { path: '/runs/run_1', run: 'run_1' } },
    })
    expect(said({ kind: 'needs-you' })).toMatchObject({
      title: 'Needs you: Mend it',
      options: { tag: 'run_1 needs-you', data: { path: '/runs/run_1#e7' } },
    })
    expect(said({ kind: 'failed' }).title).toBe('Failed: Mend it')
  })

  it('of a schedule that could start no run leads to the schedule', () => {
    const { title, options } = notificationOf(
      JSON.stringify({ kind: 'schedule-missed', schedule: 'sch_1', title: 'Nightly', projectName: 'shop' }),
    )
    expect(title).toBe('Not started: Nightly')
    expect(options).toMatchObject({ body: 'shop', data: { path: '/schedules/sch_1', run: null } })
  })

  it('is a general one for a message that it cannot read', () => {
    for (const text of [null, '', 'null', '{', '[]', JSON.stringify({ kind: 'toString', run: 'run_1' })])
      expect(notificationOf(text).title, String(text)).toBe('New notification')
    expect(said({ eventId: 'x' }).options.data.path).toBe('/')
  })

  it('a malformed id leads to no other place', () => {
    expect(said({ run: '../../evil?x' }).options.data.path).toBe('/runs/..%2F..%2Fevil%3Fx')
  })
})

import { describe, expect, it } from 'vitest'
import { overlapOf, type ScheduleNow, startStep } from './may-start.ts'

const idle: ScheduleNow = { overlap: 'skip', isPaused: false, isUsedUp: false, working: 0 }
const step = (now: Partial<ScheduleNow>, before = 0, by: 'time' | 'user' = 'time') =>
  startStep({ by, before }, { ...idle, ...now })

describe('an occurrence that is due', () => {
  it('W93 starts if nothing of its schedule is at work, whatever the policy', () => {
    for (const overlap of ['skip', 'queue', 'allow'] as const) expect(step({ overlap })).toBe('start')
  })

  it('W93 is skipped, waits or starts while the run before is at work, as its schedule says', () => {
    expect(step({ overlap: 'skip', working: 1 })).toMatchObject({ end: 'skipped' })
    expect(step({ overlap: 'queue', working: 1 })).toBe('wait')
    expect(step({ overlap: 'allow', working: 1 })).toBe('start')
  })

  it('W93 does not start before an earlier one that waits', () => {
    expect(step({ overlap: 'queue' }, 1)).toBe('wait')
  })

  it('W99 is missed if 20 wait already, and skipped if 20 are at work', () => {
    expect(step({ overlap: 'queue', working: 1 }, 20)).toMatchObject({ end: 'missed' })
    expect(step({ overlap: 'allow', working: 20 })).toMatchObject({ end: 'skipped' })
  })

  it('W96 starts while its schedule is paused or used up only if its user asked for it', () => {
    expect(step({ isPaused: true })).toMatchObject({ end: 'skipped', reason: 'The schedule was paused.' })
    expect(step({ isUsedUp: true })).toMatchObject({ end: 'skipped' })
    expect(step({ isPaused: true, isUsedUp: true }, 0, 'user')).toBe('start')
  })

  it('W92 that is caught up with others waits for them, where it would be skipped because of them', () => {
    expect(overlapOf({ catchUp: 'all', overlap: 'skip' })).toBe('queue')
    expect(overlapOf({ catchUp: 'all', overlap: 'allow' })).toBe('allow')
    expect(overlapOf({ catchUp: 'latest', overlap: 'skip' })).toBe('skip')
  })
})

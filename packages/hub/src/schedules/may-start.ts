import { type Overlap, scheduleLimits } from '@farhand/protocol/schemas/schedules'

export type Waiting = {
  by: 'time' | 'user'
  /** How many occurrences of the same schedule wait and were due earlier. */
  before: number
}

export type ScheduleNow = {
  overlap: Overlap
  isPaused: boolean
  /** Whether it has started as many runs as it may. */
  isUsedUp: boolean
  /** How many of its runs are at work, or about to be started. */
  working: number
}

export type StartStep = 'start' | 'wait' | { end: 'skipped' | 'missed'; reason: string }

/** What to do with an occurrence that is due. */
export function startStep({ by, before }: Waiting, schedule: ScheduleNow): StartStep {
  const { overlap, isPaused, isUsedUp, working } = schedule
  if (isPaused && by === 'time') return skip('The schedule was paused.')
  if (isUsedUp && by === 'time') return skip('The schedule had started all its runs.')
  if (before >= scheduleLimits.waiting)
    return { end: 'missed', reason: `${scheduleLimits.waiting} runs of this schedule waited already.` }
  if (before > 0) return 'wait'
  if (overlap === 'allow')
    return working < scheduleLimits.running ? 'start' : skip(`${working} runs of this schedule were at work.`)
  if (working === 0) return 'start'
  return overlap === 'queue' ? 'wait' : skip('The run before was still at work.')
}

const skip = (reason: string): StartStep => ({ end: 'skipped', reason })

/** With `all`, caught-up due times would be skipped because of each other: they wait instead. */
export const overlapOf = (schedule: { catchUp: string; overlap: Overlap }): Overlap =>
  schedule.catchUp === 'all' && schedule.overlap === 'skip' ? 'queue' : schedule.overlap

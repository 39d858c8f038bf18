import type { Occurrence, Schedule } from '@farhand/protocol/schemas/schedules'
import type { StoredSchedule } from '../store/schedules/schedules.ts'
import { nextDue } from './due-times.ts'
import { withEvents } from './start-run.ts'

const nextShown = 3

/** A schedule as the hub answers with it. */
export function scheduleInWire(stored: StoredSchedule, last: Occurrence | null): Schedule {
  const { paused, nextDueAt, until, maxRuns, runs, callback } = stored
  const status = paused !== null ? 'paused' : nextDueAt === null ? 'ended' : 'active'
  const { id, project, projectName, task, name, timing, run, catchUp, overlap, pauseAfter, failures } = stored
  return {
    ...{ id, project, projectName, task, name, timing, run, catchUp, overlap, pauseAfter },
    until: until === null ? null : new Date(until).toISOString(),
    maxRuns,
    callback: callback && {
      url: callback.url,
      events: withEvents(callback).events,
      hasSecret: callback.secret !== undefined,
    },
    status,
    reason: reasonOf(stored),
    ...{ runs, failures },
    next: status === 'active' ? nextTimes(stored) : [],
    last,
    createdAt: stored.createdAt,
    updatedAt: stored.updatedAt,
  }
}

function nextTimes({ timing, anchor, nextDueAt, until, maxRuns, runs }: StoredSchedule): string[] {
  const most = Math.min(nextShown, maxRuns === null ? nextShown : maxRuns - runs)
  const times: string[] = []
  for (let at = nextDueAt; at !== null && times.length < most; at = nextDue({ timing, anchor }, at)) {
    if (until !== null && at > until) break
    times.push(new Date(at).toISOString())
  }
  return times
}

function reasonOf({ paused, failures, nextDueAt, maxRuns, runs, until }: StoredSchedule): string | null {
  if (paused === 'user') return 'You paused it.'
  if (paused === 'failures')
    return failures === 1 ? 'Its last run failed.' : `Its last ${failures} runs failed.`
  if (nextDueAt !== null) return null
  if (maxRuns !== null && runs >= maxRuns) return `It has started all its ${maxRuns} runs.`
  return until === null
    ? 'It has no further due time.'
    : 'Its end date has come, or it has no further due time.'
}

import type { CallbackEvent, NewRun } from '@farhand/protocol/schemas/api'
import type { Occurrence, ScheduleCallback } from '@farhand/protocol/schemas/schedules'
import { newId, RunId } from '@farhand/protocol/wire/ids'
import { isActiveUser } from '../access/users.ts'
import type { EventLog } from '../log/event-log.ts'
import { firstEvents } from '../runs/first-events.ts'
import { addCallbacksIn } from '../store/callbacks.ts'
import { createRun } from '../store/runs.ts'
import { noteStarted } from '../store/schedules/occurrences.ts'
import { type StoredSchedule, scheduleById } from '../store/schedules/schedules.ts'
import type { Db } from '../store/tables.ts'

/** What the runs of a schedule are made with. No user is there to answer, unless the schedule says so. */
export const newRunOf = ({ run }: StoredSchedule): NewRun => ({ mode: 'background', ...run })

/** Thrown to undo a transaction. */
class ClaimEnded extends Error {}

/**
 * Makes the run of a claimed occurrence, with its web hooks, in one step. Null if the claim has ended, or if the schedule is not as it
 * was when it was checked.
 */
export async function makeScheduledRun(
  db: Db,
  schedule: StoredSchedule,
  of: Occurrence,
  claim: string,
  now: Date,
): Promise<RunId | null> {
  const at = { project: schedule.project, task: schedule.task }
  const id = newId(RunId, 'run')
  try {
    await db.transaction().execute(async (trx) => {
      if (!(await isAsChecked(trx, schedule, of))) throw new ClaimEnded()
      await createRun(trx, at, newRunOf(schedule), now, { id, owner: schedule.owner })
      const told = { run: id, title: schedule.name }
      if (!(await noteStarted(trx, of, claim, told, now))) throw new ClaimEnded()
      if (schedule.callback) await addCallbacksIn(trx, id, [withEvents(schedule.callback)], now, 0)
    })
    return id
  } catch (error) {
    if (error instanceof ClaimEnded) return null
    throw error
  }
}

async function isAsChecked(trx: Db, checked: StoredSchedule, of: Occurrence): Promise<boolean> {
  const schedule = await scheduleById(trx, checked.id)
  if (!schedule || schedule.isRemoved || schedule.updatedAt !== checked.updatedAt) return false
  if (schedule.paused !== null && of.by === 'time') return false
  return await isActiveUser(trx, schedule.owner)
}

/** Which events a schedule's callback is called for: the ends of its runs, if it does not say. */
export const withEvents = (callback: ScheduleCallback) => ({
  ...callback,
  events: callback.events ?? (['done', 'error'] satisfies CallbackEvent[]),
})

/** Stores the first events of a scheduled run. Each has a key, so a second call stores only what is missing. */
export async function beginScheduledRun(log: EventLog, schedule: StoredSchedule, run: RunId): Promise<void> {
  const by = { kind: 'channel' as const, id: schedule.id }
  for (const batch of firstEvents({ id: run }, newRunOf(schedule), by)) await log.append(run, () => batch)
}

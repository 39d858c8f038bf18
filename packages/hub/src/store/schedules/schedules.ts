import {
  type NewSchedule,
  type ScheduleCallback,
  type ScheduleChange,
  ScheduledRun,
  Timing,
} from '@farhand/protocol/schemas/schedules'
import { newId, ScheduleId, type TaskId, type UserId } from '@farhand/protocol/wire/ids'
import type { Selectable } from 'kysely'
import { newestOf, type Page, type Paged, readPage } from '../page.ts'
import type { Db, Tables } from '../tables.ts'

/** A schedule as it is stored. Times are milliseconds since 1970. */
export type StoredSchedule = Pick<
  Selectable<Tables['schedules']>,
  'id' | 'name' | 'overlap' | 'paused' | 'runs' | 'failures'
> & {
  owner: UserId
  project: Tables['projects']['id']
  projectName: string
  task: TaskId
  timing: Timing
  anchor: number
  run: ScheduledRun
  catchUp: Tables['schedules']['catch_up']
  pauseAfter: number
  until: number | null
  maxRuns: number | null
  callback: ScheduleCallback | null
  nextDueAt: number | null
  lastDueAt: number | null
  createdAt: string
  updatedAt: string
  isRemoved: boolean
}

type Made = { owner: UserId; task: TaskId; body: NewSchedule; nextDueAt: number | null }

const usualPauseAfter = 5

/** Stores a new schedule; null if its owner has `most` of them already. */
export async function createSchedule(
  db: Db,
  { owner, task, body, nextDueAt }: Made,
  most: number,
  now: Date,
): Promise<StoredSchedule | null> {
  const { count } = await db
    .selectFrom('schedules')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('owner_id', '=', owner)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (Number(count) >= most) return null
  const id = newId(ScheduleId, 'sch')
  const at = now.toISOString()
  await db
    .insertInto('schedules')
    .values(({ selectFrom, fn, lit }) => ({
      ...{ id, owner_id: owner, task_id: task, project_id: body.project, name: body.name },
      nth: selectFrom('schedules')
        .where('owner_id', '=', owner)
        .select(({ eb }) => eb(fn.coalesce(fn.max('nth'), lit(0)), '+', 1).as('nth')),
      ...{ timing: JSON.stringify(body.timing), anchor: at, run: JSON.stringify(body.run) },
      ...{ catch_up: body.catchUp ?? 'latest', overlap: body.overlap ?? 'skip' },
      ...{ pause_after: body.pauseAfter ?? usualPauseAfter, max_runs: body.maxRuns ?? null },
      until: body.until ? new Date(body.until).toISOString() : null,
      callback: body.callback ? JSON.stringify(body.callback) : null,
      paused: body.isPaused ? 'user' : null,
      ...{ runs: 0, failures: 0, last_due_at: null, removed_at: null },
      ...{ next_due_at: textOf(nextDueAt), created_at: at, updated_at: at },
    }))
    .execute()
  return await scheduleById(db, id)
}

export async function scheduleById(db: Db, id: ScheduleId): Promise<StoredSchedule | null> {
  const row = await withProject(db).where('schedules.id', '=', id).executeTakeFirst()
  return row ? schedule(row) : null
}

/** A schedule of this user that was not deleted. */
export async function findSchedule(db: Db, owner: UserId, id: ScheduleId): Promise<StoredSchedule | null> {
  const found = await scheduleById(db, id)
  return found && found.owner === owner && !found.isRemoved ? found : null
}

/** The schedules of a user, newest first. */
export async function listSchedules(db: Db, owner: UserId, page: Page): Promise<Paged<StoredSchedule>> {
  const query = withProject(db)
    .where('schedules.owner_id', '=', owner)
    .where('schedules.removed_at', 'is', null)
  return readPage(query, newestOf('schedules'), page, schedule)
}

/** The schedules that have a due time up to `now`, the earliest first; with `after` those behind this one. */
export async function schedulesDue(
  db: Db,
  now: Date,
  most: number,
  after: StoredSchedule | null = null,
): Promise<StoredSchedule[]> {
  const at = textOf(after?.nextDueAt ?? null)
  const rows = await active(db)
    .where('schedules.next_due_at', '<=', now.toISOString())
    .$if(at !== null, (query) =>
      query.where(({ eb, and, or }) =>
        or([
          eb('schedules.next_due_at', '>', at),
          and([eb('schedules.next_due_at', '=', at), eb('schedules.id', '>', after!.id)]),
        ]),
      ),
    )
    .orderBy('schedules.next_due_at')
    .orderBy('schedules.id')
    .limit(most)
    .execute()
  return rows.map(schedule)
}

/** The schedules whose ledger goes beyond `now`. */
export async function schedulesAhead(db: Db, now: Date): Promise<StoredSchedule[]> {
  const rows = await active(db).where('schedules.last_due_at', '>', now.toISOString()).execute()
  return rows.map(schedule)
}

/** The earliest due time of all schedules. */
export async function earliestDue(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('schedules')
    .select(({ fn }) => fn.min('next_due_at').as('at'))
    .where('paused', 'is', null)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return timeOf(row?.at ?? null)
}

/** Ends the schedules whose next due time has a year of five digits, which an earlier hub stored: it compares as if it were past. */
export async function endBeyondYears(db: Db): Promise<void> {
  await db.updateTable('schedules').set({ next_due_at: null }).where('next_due_at', 'like', '+%').execute()
}

/** When a changed schedule is due next, and from when its intervals are counted. */
type Retimed = { nextDueAt: number | null; anchor?: Date }

/** Changes a schedule. What was running or waiting stays as it is. */
export async function changeSchedule(
  db: Db,
  id: ScheduleId,
  said: Omit<ScheduleChange, 'isPaused'> & { isPaused?: boolean | undefined },
  retimed: Retimed | null,
  now: Date,
): Promise<void> {
  const { name, timing, run, catchUp, overlap, pauseAfter, until, maxRuns, callback, isPaused } = said
  await db
    .updateTable('schedules')
    .set({
      updated_at: now.toISOString(),
      ...(name !== undefined && { name }),
      ...(timing !== undefined && { timing: JSON.stringify(timing) }),
      ...(run !== undefined && { run: JSON.stringify(run) }),
      ...(catchUp !== undefined && { catch_up: catchUp }),
      ...(overlap !== undefined && { overlap }),
      ...(pauseAfter !== undefined && { pause_after: pauseAfter }),
      ...(until !== undefined && { until: until === null ? null : new Date(until).toISOString() }),
      ...(maxRuns !== undefined && { max_runs: maxRuns }),
      ...(callback !== undefined && { callback: callback === null ? null : JSON.stringify(callback) }),
      ...(isPaused === true && { paused: 'user' as const }),
      ...(isPaused === false && { paused: null, failures: 0 }),
      ...(retimed && { next_due_at: textOf(retimed.nextDueAt) }),
      ...(retimed?.anchor && { anchor: retimed.anchor.toISOString() }),
    })
    .where('id', '=', id)
    .execute()
}

/** Deletes a schedule for its user. The row stays, as its runs show its name. */
export async function removeSchedule(db: Db, id: ScheduleId, now: Date): Promise<void> {
  await db
    .updateTable('schedules')
    .set({ removed_at: now.toISOString(), next_due_at: null, callback: null })
    .where('id', '=', id)
    .execute()
}

/** Counts due times from another one on, as the clock was wrong before. */
export async function recountFrom(
  db: Db,
  { id, nextDueAt }: StoredSchedule,
  next: number | null,
): Promise<void> {
  const was = textOf(nextDueAt)
  await db
    .updateTable('schedules')
    .set({ next_due_at: textOf(next), last_due_at: null })
    .where('id', '=', id)
    .where('next_due_at', was === null ? 'is' : '=', was)
    .execute()
}

const withProject = (db: Db) =>
  db
    .selectFrom('schedules')
    .innerJoin('projects', 'projects.id', 'schedules.project_id')
    .selectAll('schedules')
    .select('projects.name as project_name')

const active = (db: Db) =>
  withProject(db).where('schedules.paused', 'is', null).where('schedules.removed_at', 'is', null)

/** Texts of times are compared, so that only years of four digits have one: it throws for another. */
export function textOf(at: number | null): string | null {
  if (at === null) return null
  const text = new Date(at).toISOString()
  if (!/^\d{4}-/.test(text)) throw new RangeError(`${text} is not within the years 0 to 9999`)
  return text
}
const timeOf = (text: string | null): number | null => (text === null ? null : Date.parse(text))

function schedule(row: Selectable<Tables['schedules']> & { project_name: string }): StoredSchedule {
  const { id, name, overlap, paused, runs, failures } = row
  return {
    ...{ id, name, overlap, paused, runs, failures },
    owner: row.owner_id,
    project: row.project_id,
    projectName: row.project_name,
    task: row.task_id,
    timing: Timing.parse(JSON.parse(row.timing)),
    anchor: Date.parse(row.anchor),
    run: ScheduledRun.parse(JSON.parse(row.run)),
    catchUp: row.catch_up,
    pauseAfter: row.pause_after,
    until: timeOf(row.until),
    maxRuns: row.max_runs,
    callback: row.callback === null ? null : (JSON.parse(row.callback) as ScheduleCallback),
    nextDueAt: timeOf(row.next_due_at),
    lastDueAt: timeOf(row.last_due_at),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    isRemoved: row.removed_at !== null,
  }
}

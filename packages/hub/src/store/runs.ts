import type { NewRun, Run, RunSeen } from '@farhand/protocol/schemas/api'
import { SandboxTerms } from '@farhand/protocol/schemas/sandbox-terms'
import {
  type DelegatedTaskId,
  newId,
  type ProjectId,
  RunId,
  type ScheduleId,
  type TaskId,
  type UserId,
} from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { type Selectable, type SqlBool, sql } from 'kysely'
import { latestRuns, newestOf, type Page, type Paged, readPage } from './page.ts'
import { portions } from './statements.ts'
import type { Db, Tables } from './tables.ts'

type TaskAddress = { project: ProjectId; task: TaskId }

/** Creates a run of a task; the caller has checked that the task is in the project. For a fork, the log with this id may exist already. */
export async function createRun(
  db: Db,
  at: TaskAddress,
  body: NewRun,
  now: Date,
  id = newId(RunId, 'run'),
): Promise<Run> {
  const row = await db
    .insertInto('runs')
    .values(({ selectFrom, fn, lit }) => ({
      id,
      task_id: at.task,
      nth: selectFrom('runs')
        .where('task_id', '=', at.task)
        .select(({ eb }) => eb(fn.coalesce(fn.max('nth'), lit(0)), '+', 1).as('nth')),
      agent: body.agent ?? null,
      mode: body.mode ?? 'interactive',
      sandbox: body.sandbox ?? null,
      terms: JSON.stringify(body.terms ?? {}),
      created_at: now.toISOString(),
      close_requested_at: null,
      owner_id: selectFrom('projects').where('projects.id', '=', at.project).select('owner_id'),
      owner_nth: selectFrom('runs')
        .where('owner_id', '=', (eb) =>
          eb.selectFrom('projects').where('projects.id', '=', at.project).select('projects.owner_id'),
        )
        .select(({ eb }) => eb(fn.coalesce(fn.max('owner_nth'), lit(0)), '+', 1).as('nth')),
      is_open: 1,
      may_wait: 0,
      fork_run: body.fork?.run ?? null,
      fork_event: body.fork?.event ?? null,
      title: null,
      is_archived: 0,
      is_muted: 0,
      active_at: now.toISOString(),
    }))
    .returningAll()
    .executeTakeFirstOrThrow()
  return run({ ...row, project_id: at.project })
}

/** Finds a run. Under a wrong task or project it does not exist (W2); a task or project that is not given is not checked. */
export async function findRun(
  db: Db,
  at: Pick<RunAddress, 'run'> & Partial<RunAddress>,
): Promise<(Run & { owner: UserId }) | null> {
  const row = await db
    .selectFrom('runs')
    .innerJoin('tasks', 'tasks.id', 'runs.task_id')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .selectAll('runs')
    .select(['tasks.project_id', 'projects.owner_id'])
    .where('runs.id', '=', at.run)
    .$if(at.task !== undefined, (query) => query.where('tasks.id', '=', at.task!))
    .$if(at.project !== undefined, (query) => query.where('projects.id', '=', at.project!))
    .executeTakeFirst()
  return row ? { ...run(row), owner: row.owner_id } : null
}

/** The runs of a task, newest first; none if the task is in another project. */
export async function listRuns(db: Db, at: TaskAddress, page: Page): Promise<Paged<Run>> {
  const query = db
    .selectFrom('runs')
    .innerJoin('tasks', 'tasks.id', 'runs.task_id')
    .selectAll('runs')
    .select('tasks.project_id')
    .where('runs.task_id', '=', at.task)
    .where('tasks.project_id', '=', at.project)
  return readPage(query, newestOf('runs'), page, run)
}

/** Filters for a user's runs: maybe open, maybe waiting for the user, by the start of the id, by a text in title, project or id. */
type RunFilter = {
  isOpen?: true | undefined
  mayWait?: true | undefined
  begins?: string | undefined
  find?: string | undefined
  isArchived?: boolean | undefined
  /** Sort by last activity instead of by creation. */
  byActivity?: true | undefined
}

/** A run with its names, the user's settings for it, and whether it may be open. */
type OwnRun = Run & {
  projectName: string
  title: string
  isOpen: boolean
  isArchived: boolean
  isMuted: boolean
  delegated: DelegatedTaskId | null
  seen: RunSeen | null
  /** The schedule that started it. */
  schedule: { id: ScheduleId; name: string } | null
}

/** The runs of a user: newest first, or last active first. */
export async function listRunsOf(
  db: Db,
  owner: UserId,
  filter: RunFilter,
  page: Page,
): Promise<Paged<OwnRun>> {
  const query = runsOfQuery(db, owner, filter)
  if (filter.byActivity) return readPage(query, latestRuns, page, ownRun)
  return readPage(query.select('runs.owner_nth as nth'), newestOf('runs', 'owner_nth'), page, ownRun)
}

/** These runs as `listRunsOf` gives them, each with its owner; unknown runs are left out. */
export async function listedRuns(db: Db, ids: readonly RunId[]): Promise<(OwnRun & { owner: UserId })[]> {
  const found: (OwnRun & { owner: UserId })[] = []
  for await (const some of portions(ids)) {
    const rows = await namedRuns(db).where('runs.id', 'in', some).execute()
    found.push(...rows.map((row) => ({ ...ownRun(row), owner: row.owner_id })))
  }
  return found
}

/** Sets a run's title, or whether it is archived or muted. */
export async function noteAboutRun(
  db: Db,
  run: RunId,
  said: { title?: string; is_archived?: 0 | 1; is_muted?: 0 | 1 },
): Promise<void> {
  await change(db, run).set(said).execute()
}

/** Records how far the user has read a run; false if they had read that far already. */
export async function noteSeen(db: Db, run: RunId, { event, activeAt }: RunSeen): Promise<boolean> {
  const { numUpdatedRows } = await change(db, run)
    .set({ seen_event: event, seen_active_at: activeAt })
    .where(({ eb, or }) => or([eb('seen_event', 'is', null), eb('seen_event', '<', event)]))
    .executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

const namedRuns = (db: Db) =>
  db
    .selectFrom('runs')
    .innerJoin('tasks', 'tasks.id', 'runs.task_id')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .leftJoin('acp_tasks', 'acp_tasks.session_id', 'runs.id')
    .leftJoin('schedules', 'schedules.id', 'runs.schedule_id')
    .selectAll('runs')
    .select(['tasks.project_id', 'tasks.title as task_title', 'projects.name as project_name'])
    .select(['acp_tasks.id as delegated_id', 'schedules.name as schedule_name'])

type NamedRow = Selectable<Tables['runs']> & {
  project_id: ProjectId
  task_title: string
  delegated_id: DelegatedTaskId | null
  project_name: string
  schedule_name: string | null
}

const ownRun = (row: NamedRow): OwnRun => ({
  ...run(row),
  projectName: row.project_name,
  title: row.title ?? row.task_title,
  isOpen: row.is_open === 1,
  isArchived: row.is_archived === 1,
  isMuted: row.is_muted === 1,
  delegated: row.delegated_id,
  seen: row.seen_event === null ? null : { event: row.seen_event, activeAt: row.seen_active_at },
  schedule:
    row.schedule_id === null || row.schedule_name === null
      ? null
      : { id: row.schedule_id, name: row.schedule_name },
})

function runsOfQuery(db: Db, owner: UserId, filter: RunFilter) {
  const { isOpen, mayWait, begins, find, isArchived } = filter
  return namedRuns(db)
    .where('runs.owner_id', '=', owner)
    .$if(isOpen !== undefined, (query) => query.where('runs.is_open', '=', 1))
    .$if(mayWait !== undefined, (query) => query.where('runs.may_wait', '=', 1))
    .$if(isArchived !== undefined, (query) => query.where('runs.is_archived', '=', isArchived ? 1 : 0))
    .$if(begins !== undefined, (query) =>
      // Not `like`: SQLite ignores case there and PostgreSQL does not.
      query.where(sql<string>`substr(${sql.ref('runs.id')}, 1, ${sql.lit(begins!.length)})`, '=', begins!),
    )
    .$if(find !== undefined, (query) => query.where(hasIn(find!)))
}

/** Ignores case as far as the database can: SQLite only for English letters. */
function hasIn(find: string) {
  const pattern = `%${find.replaceAll(/[\\%_]/g, '\\$&')}%`
  const called = ['projects.name', 'runs.id'].map((name) => sql.ref(name))
  return sql<SqlBool>`(lower(coalesce(runs.title, tasks.title)) like lower(${pattern}) escape '\\'
    or lower(${called[0]}) like lower(${pattern}) escape '\\'
    or lower(${called[1]}) like lower(${pattern}) escape '\\')`
}

/** Sets the flag for an open run. An open run must never be flagged as closed: lists of open runs would omit it. */
export async function noteIsOpen(db: Db, run: RunId, isOpen: boolean): Promise<void> {
  const is = isOpen ? 1 : 0
  await change(db, run).set({ is_open: is }).where('is_open', '!=', is).execute()
}

/** Sets the flag for a run that may wait for the user. A waiting run must never be without it: lists of waiting runs would omit it. */
export async function noteMayWait(db: Db, run: RunId, mayWait: boolean): Promise<void> {
  const may = mayWait ? 1 : 0
  await change(db, run).set({ may_wait: may }).where('may_wait', '!=', may).execute()
}

/** Records the last activity of a run; null means none yet, and its creation counts. */
export async function noteActive(db: Db, run: RunId, at: string | null): Promise<void> {
  await change(db, run)
    .set(({ ref }) => ({ active_at: at ?? ref('created_at') }))
    .where(({ eb, ref }) => eb('active_at', '!=', at ?? ref('created_at')))
    .execute()
}

/** The runs whose last activity a killed hub may not have recorded, newest first. */
export async function runsToLookAt(db: Db): Promise<RunId[]> {
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where(({ eb, or }) => or([eb('is_open', '=', 1), eb('active_at', '=', '')]))
    .orderBy('created_at', 'desc')
    .execute()
  return rows.map(({ id }) => id)
}

/** Records where a run works. If its log says otherwise, the log counts. */
export async function noteSandboxKind(db: Db, run: RunId, sandbox: string): Promise<void> {
  await change(db, run).set({ sandbox }).execute()
}

/** The ids of all runs. */
export async function allRunIds(db: Db): Promise<RunId[]> {
  const rows = await db.selectFrom('runs').select('id').execute()
  return rows.map((row) => row.id)
}

/** All runs with their projects, whose blobs their logs may name. */
export async function allRunsWithProjects(db: Db): Promise<{ run: RunId; project: ProjectId }[]> {
  return await db
    .selectFrom('runs')
    .innerJoin('tasks', 'tasks.id', 'runs.task_id')
    .select(['runs.id as run', 'tasks.project_id as project'])
    .orderBy('runs.id')
    .execute()
}

/** The runs of a project, whose logs may name its blobs. */
export async function runsOfProject(db: Db, project: ProjectId): Promise<RunId[]> {
  const rows = await db
    .selectFrom('runs')
    .innerJoin('tasks', 'tasks.id', 'runs.task_id')
    .select('runs.id')
    .where('tasks.project_id', '=', project)
    .orderBy('runs.id')
    .execute()
  return rows.map((row) => row.id)
}

/**
 * Records a request to close a run and returns its time, which is later than any earlier one, so that the end of an earlier closing
 * cannot remove it. It helps the closer after a restart; whether the run is closed is decided by its log.
 */
export async function requestClose(db: Db, run: RunId, at: Date): Promise<string> {
  for (;;) {
    const { close_requested_at: before } = await db
      .selectFrom('runs')
      .select('close_requested_at')
      .where('id', '=', run)
      .executeTakeFirstOrThrow()
    const earliest = before === null ? 0 : Date.parse(before) + 1
    const note = new Date(Math.max(at.getTime(), earliest)).toISOString()
    const { numUpdatedRows } = await change(db, run)
      .set({ close_requested_at: note })
      .where('close_requested_at', before === null ? 'is' : '=', before)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) return note
  }
}

/** Removes this close request, as the run is closed or open again. A newer request stays. */
export async function closeDone(db: Db, run: RunId, requestedAt: string): Promise<void> {
  await change(db, run)
    .set({ close_requested_at: null })
    .where('close_requested_at', '=', requestedAt)
    .execute()
}

/** The runs with a close request, the oldest first. */
export async function runsToClose(db: Db): Promise<{ run: RunId; requestedAt: string }[]> {
  const rows = await db
    .selectFrom('runs')
    .select(['id', 'close_requested_at'])
    .where('close_requested_at', 'is not', null)
    .orderBy('close_requested_at')
    .execute()
  return rows.map((row) => ({ run: row.id, requestedAt: row.close_requested_at! }))
}

const change = (db: Db, run: RunId) => db.updateTable('runs').where('id', '=', run)

function run(row: Selectable<Tables['runs']> & { project_id: ProjectId }): Run {
  return {
    id: row.id,
    project: row.project_id,
    task: row.task_id,
    agent: row.agent,
    mode: row.mode,
    sandbox: row.sandbox,
    terms: SandboxTerms.parse(JSON.parse(row.terms)),
    forkOf: row.fork_run === null ? null : { run: row.fork_run, event: row.fork_event! },
    createdAt: row.created_at,
  }
}

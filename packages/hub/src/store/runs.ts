import type { NewRun, Run } from '@farhand/protocol/schemas/api'
import { SandboxTerms } from '@farhand/protocol/schemas/sandbox-terms'
import { newId, type ProjectId, RunId, type TaskId, type UserId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { Selectable } from 'kysely'
import { newestOf, type Page, type Paged, readPage } from './page.ts'
import type { Db, Tables } from './tables.ts'

type TaskAddress = { project: ProjectId; task: TaskId }

/**
 * Creates a run of a task; the caller has checked that the task is in the project. `owner`: the user who starts it, if that is not the
 * owner of the project. For a fork, the log with this id may exist already.
 */
export async function createRun(
  db: Db,
  at: TaskAddress,
  body: NewRun,
  now: Date,
  { id = newId(RunId, 'run'), owner }: { id?: RunId; owner?: UserId } = {},
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
      owner_id:
        owner ?? selectFrom('projects').where('projects.id', '=', at.project).select('projects.owner_id'),
      owner_nth: selectFrom('runs')
        .where('owner_id', '=', (eb) =>
          owner
            ? eb.val(owner)
            : eb.selectFrom('projects').where('projects.id', '=', at.project).select('projects.owner_id'),
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
    .selectAll('runs')
    .select('tasks.project_id')
    .where('runs.id', '=', at.run)
    .$if(at.task !== undefined, (query) => query.where('tasks.id', '=', at.task!))
    .$if(at.project !== undefined, (query) => query.where('tasks.project_id', '=', at.project!))
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

/** The run of a row. */
export function run(row: Selectable<Tables['runs']> & { project_id: ProjectId }): Run {
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

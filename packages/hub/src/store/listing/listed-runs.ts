import type { Run, RunSeen } from '@farhand/protocol/schemas/api'
import type { DelegatedTaskId, ProjectId, RunId, ScheduleId, UserId } from '@farhand/protocol/wire/ids'
import type { ProjectRole } from '@farhand/protocol/wire/project-role'
import { type Selectable, type SqlBool, sql } from 'kysely'
import { isByNumber, latestRuns, newestByTime, newestOf, type Page, type Paged, readPage } from '../page.ts'
import { run } from '../runs.ts'
import { portions } from '../statements.ts'
import type { Db, Tables } from '../tables.ts'

/** Filters for a user's runs: maybe open, maybe waiting for a user, by the start of the id, by a text in title, project or id. */
type RunFilter = {
  isOpen?: true | undefined
  mayWait?: true | undefined
  begins?: string | undefined
  find?: string | undefined
  isArchived?: boolean | undefined
  /** Sort by last activity instead of by creation. */
  byActivity?: true | undefined
}

/** A run with its names, the user's settings for it, the user's role in its project, and whether it may be open. */
type OwnRun = Run & {
  projectName: string
  title: string
  isOpen: boolean
  isArchived: boolean
  isMuted: boolean
  seen: RunSeen | null
  role: ProjectRole
  delegated: DelegatedTaskId | null
  /** The schedule that started it. */
  schedule: { id: ScheduleId; name: string } | null
}

/** The runs of all projects of a user: newest first, or last active first. */
export async function listRunsOf(
  db: Db,
  user: UserId,
  filter: RunFilter,
  page: Page,
): Promise<Paged<OwnRun>> {
  const item = (row: NamedRow) => ownRun(row, user)
  // Users who share nothing have started all their runs themselves, which an index has in order.
  const isAlone = isByNumber(page) || !(await sharesProjects(db, user))
  const query = runsOfQuery(db, user, filter).$if(isAlone, (all) => all.where('runs.owner_id', '=', user))
  if (filter.byActivity) return readPage(query, latestRuns, page, item)
  if (!isAlone) return readPage(query, newestByTime('runs'), page, item)
  return readPage(query.select('runs.owner_nth as nth'), newestOf('runs', 'owner_nth'), page, item)
}

/** These runs as `listRunsOf` gives them; unknown runs, and those that this user may not see, are left out. */
export async function listedRuns(db: Db, ids: readonly RunId[], user: UserId): Promise<OwnRun[]> {
  const found: OwnRun[] = []
  for await (const some of portions(ids)) {
    const rows = await namedRuns(db, user).where('runs.id', 'in', some).execute()
    found.push(...rows.map((row) => ownRun(row, user)))
  }
  return found
}

/** Whether other users have, or had, a part in a project of this user's, or this user has one in theirs. */
async function sharesProjects(db: Db, user: UserId): Promise<boolean> {
  const joined = await db
    .selectFrom('project_members')
    .select('user_id')
    .where('user_id', '=', user)
    .limit(1)
    .executeTakeFirst()
  if (joined) return true
  const shared = await db
    .selectFrom('projects')
    .select('id')
    .where('owner_id', '=', user)
    .where('is_shared', '=', 1)
    .limit(1)
    .executeTakeFirst()
  return shared !== undefined
}

const namedRuns = (db: Db, user: UserId) =>
  db
    .selectFrom('runs')
    .innerJoin('tasks', 'tasks.id', 'runs.task_id')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .leftJoin('acp_tasks', 'acp_tasks.session_id', 'runs.id')
    .leftJoin('schedules', 'schedules.id', 'runs.schedule_id')
    .leftJoin('project_members as part', (join) =>
      join.onRef('part.project_id', '=', 'projects.id').on('part.user_id', '=', user),
    )
    .leftJoin('run_preferences as own', (join) =>
      join.onRef('own.run_id', '=', 'runs.id').on('own.user_id', '=', user),
    )
    .selectAll('runs')
    .select(['tasks.project_id', 'tasks.title as task_title', 'projects.name as project_name'])
    .select(['acp_tasks.id as delegated_id', 'schedules.name as schedule_name'])
    .select(['projects.owner_id as project_owner', 'part.role as part_role'])
    .select(['own.is_archived as own_archived', 'own.is_muted as own_muted'])
    .select(['own.seen_event as own_seen_event', 'own.seen_active_at as own_seen_active_at'])
    .where(({ eb, or }) => or([eb('projects.owner_id', '=', user), eb('part.role', 'is not', null)]))

type NamedRow = Selectable<Tables['runs']> & {
  project_id: ProjectId
  task_title: string
  project_name: string
  project_owner: UserId
  part_role: 'member' | 'viewer' | null
  own_archived: 0 | 1 | null
  own_muted: 0 | 1 | null
  own_seen_event: number | null
  own_seen_active_at: string | null
  delegated_id: DelegatedTaskId | null
  schedule_name: string | null
}

function ownRun(row: NamedRow, user: UserId): OwnRun {
  const isStarter = row.owner_id === user
  const [event, activeAt] = isStarter
    ? [row.seen_event, row.seen_active_at]
    : [row.own_seen_event, row.own_seen_active_at]
  return {
    ...run(row),
    projectName: row.project_name,
    title: row.title ?? row.task_title,
    isOpen: row.is_open === 1,
    isArchived: (isStarter ? row.is_archived : row.own_archived) === 1,
    isMuted: (isStarter ? row.is_muted : row.own_muted) === 1,
    seen: event === null ? null : { event, activeAt },
    role: row.project_owner === user ? 'owner' : (row.part_role ?? 'viewer'),
    // A delegated task and a schedule are their user's own, also where its runs are shared.
    delegated: isStarter ? row.delegated_id : null,
    schedule:
      !isStarter || row.schedule_id === null || row.schedule_name === null
        ? null
        : { id: row.schedule_id, name: row.schedule_name },
  }
}

function runsOfQuery(db: Db, user: UserId, filter: RunFilter) {
  const { isOpen, mayWait, begins, find, isArchived } = filter
  return namedRuns(db, user)
    .$if(isOpen !== undefined, (query) => query.where('runs.is_open', '=', 1))
    .$if(mayWait !== undefined, (query) => query.where('runs.may_wait', '=', 1))
    .$if(isArchived !== undefined, (query) => query.where(archivedBy(user), '=', isArchived ? 1 : 0))
    .$if(begins !== undefined, (query) =>
      // Not `like`: SQLite ignores case there and PostgreSQL does not.
      query.where(sql<string>`substr(${sql.ref('runs.id')}, 1, ${sql.lit(begins!.length)})`, '=', begins!),
    )
    .$if(find !== undefined, (query) => query.where(hasIn(find!)))
}

const archivedBy = (user: UserId) =>
  sql<0 | 1>`case when runs.owner_id = ${user} then runs.is_archived else coalesce(own.is_archived, 0) end`

/** Ignores case as far as the database can: SQLite only for English letters. */
function hasIn(find: string) {
  const pattern = `%${find.replaceAll(/[\\%_]/g, '\\$&')}%`
  const called = ['projects.name', 'runs.id'].map((name) => sql.ref(name))
  return sql<SqlBool>`(lower(coalesce(runs.title, tasks.title)) like lower(${pattern}) escape '\\'
    or lower(${called[0]}) like lower(${pattern}) escape '\\'
    or lower(${called[1]}) like lower(${pattern}) escape '\\')`
}

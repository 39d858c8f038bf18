import type { NewProject, Project } from '@farhand/protocol/schemas/api'
import { newId, ProjectId, type UserId } from '@farhand/protocol/wire/ids'
import type { Selectable } from 'kysely'
import { isByNumber, newestByTime, newestOf, type Page, type Paged, readPage } from './page.ts'
import type { Db, MadeFor, Tables } from './tables.ts'

export async function createProject(
  db: Db,
  owner: UserId,
  body: NewProject,
  now: Date,
  madeFor: MadeFor | null = null,
): Promise<Project> {
  const row = await db
    .insertInto('projects')
    .values(({ selectFrom, fn, lit }) => ({
      id: newId(ProjectId, 'prj'),
      owner_id: owner,
      nth: selectFrom('projects')
        .where('owner_id', '=', owner)
        .select(({ eb }) => eb(fn.coalesce(fn.max('nth'), lit(0)), '+', 1).as('nth')),
      name: body.name,
      created_at: now.toISOString(),
      ...(madeFor !== null && { made_for: madeFor }),
    }))
    .returningAll()
    .executeTakeFirstOrThrow()
  return project(row)
}

const names: Record<MadeFor, string> = { delegated: 'Delegated', requests: 'Requests' }

/** The project that the hub has made for this user's tasks of one kind; never one that the user has made and may use for other things. */
export async function hubProject(db: Db, owner: UserId, madeFor: MadeFor, now: Date): Promise<ProjectId> {
  const known = await db
    .selectFrom('projects')
    .select('id')
    .where('owner_id', '=', owner)
    .where('made_for', '=', madeFor)
    .executeTakeFirst()
  return known?.id ?? (await createProject(db, owner, { name: names[madeFor] }, now, madeFor)).id
}

export async function findProject(db: Db, id: ProjectId): Promise<Project | null> {
  const row = await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
  return row ? project(row) : null
}

/** The projects of a user, newest first: those that the user made, and those that others share with the user. */
export async function listProjects(db: Db, user: UserId, page: Page): Promise<Paged<Project>> {
  const query = db
    .selectFrom('projects')
    .leftJoin('project_members as part', (join) =>
      join.onRef('part.project_id', '=', 'projects.id').on('part.user_id', '=', user),
    )
    .selectAll('projects')
    .select('part.role as part_role')
  const item = (row: ProjectRow & { part_role: 'member' | 'viewer' | null }): Project => ({
    ...project(row),
    role: row.part_role ?? 'owner',
  })
  const joined = await db
    .selectFrom('project_members')
    .select('project_id')
    .where('user_id', '=', user)
    .limit(1)
    .executeTakeFirst()
  const own = query.where('projects.owner_id', '=', user)
  if (!joined || isByNumber(page)) return readPage(own, newestOf('projects'), page, item)
  const all = query.where(({ eb, or }) =>
    or([eb('projects.owner_id', '=', user), eb('part.role', 'is not', null)]),
  )
  return readPage(all, newestByTime('projects'), page, item)
}

type ProjectRow = Selectable<Tables['projects']>

function project(row: ProjectRow): Project {
  return { id: row.id, name: row.name, owner: row.owner_id, createdAt: row.created_at }
}

import type { ProjectMember } from '@farhand/protocol/schemas/sharing'
import type { ProjectId, RunId, UserId } from '@farhand/protocol/wire/ids'
import type { ProjectRole } from '@farhand/protocol/wire/project-role'
import { portions } from '../store/statements.ts'
import type { Db } from '../store/tables.ts'

/** The role of each user of a project. */
export async function rolesIn(db: Db, project: ProjectId): Promise<Map<UserId, ProjectRole>> {
  const owner = await db
    .selectFrom('projects')
    .select('owner_id')
    .where('id', '=', project)
    .executeTakeFirst()
  const others = await db
    .selectFrom('project_members')
    .select(['user_id', 'role'])
    .where('project_id', '=', project)
    .execute()
  const roles = new Map<UserId, ProjectRole>(others.map(({ user_id, role }) => [user_id, role]))
  return owner ? roles.set(owner.owner_id, 'owner') : roles
}

/** The users of a project: its owner, then the others in the order in which they joined. */
export async function listMembers(db: Db, project: ProjectId, you: UserId): Promise<ProjectMember[]> {
  const owner = await db
    .selectFrom('projects')
    .innerJoin('users', 'users.id', 'projects.owner_id')
    .select(['users.id', 'users.name', 'projects.created_at'])
    .where('projects.id', '=', project)
    .executeTakeFirstOrThrow()
  const others = await db
    .selectFrom('project_members')
    .innerJoin('users', 'users.id', 'project_members.user_id')
    .select(['users.id', 'users.name', 'project_members.role', 'project_members.created_at'])
    .where('project_members.project_id', '=', project)
    .orderBy('project_members.created_at')
    .orderBy('users.name')
    .execute()
  return [{ ...owner, role: 'owner' as const }, ...others].map(({ id, name, role, created_at }) => ({
    ...{ user: id, name, role, since: created_at, isYou: id === you },
  }))
}

/** Gives a member of a project another role; false if this user is none, or is the owner. */
export async function changeRole(
  db: Db,
  project: ProjectId,
  user: string,
  role: 'member' | 'viewer',
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('project_members')
    .set({ role })
    .where('project_id', '=', project)
    .where('user_id', '=', user as UserId)
    .executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

/** Removes a user from a project; false if the user is no member of it, or is its owner. */
export async function removeMember(db: Db, project: ProjectId, user: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('project_members')
    .where('project_id', '=', project)
    .where('user_id', '=', user as UserId)
    .executeTakeFirst()
  return Number(numDeletedRows) > 0
}

/** Every pair of one of these runs and a user who may see it. */
export async function usersOfRuns(db: Db, runs: readonly RunId[]): Promise<{ run: RunId; user: UserId }[]> {
  const found: { run: RunId; user: UserId }[] = []
  for await (const some of portions(runs)) {
    const rows = await db
      .selectFrom('runs')
      .innerJoin('tasks', 'tasks.id', 'runs.task_id')
      .innerJoin('projects', 'projects.id', 'tasks.project_id')
      .select(['runs.id as run', 'projects.owner_id as user'])
      .where('runs.id', 'in', some)
      .unionAll(
        db
          .selectFrom('runs')
          .innerJoin('tasks', 'tasks.id', 'runs.task_id')
          .innerJoin('project_members', 'project_members.project_id', 'tasks.project_id')
          .select(['runs.id as run', 'project_members.user_id as user'])
          .where('runs.id', 'in', some),
      )
      .execute()
    found.push(...rows)
  }
  return found
}

/**
 * The user who is notified of a run: the one who started it, or the owner of its project if that user has left it. Null if there is no
 * such run.
 */
export async function userToNotify(db: Db, run: RunId): Promise<UserId | null> {
  const row = await db
    .selectFrom('runs')
    .innerJoin('tasks', 'tasks.id', 'runs.task_id')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .leftJoin('project_members as part', (join) =>
      join.onRef('part.project_id', '=', 'projects.id').onRef('part.user_id', '=', 'runs.owner_id'),
    )
    .select(['runs.owner_id as starter', 'projects.owner_id as owner', 'part.role'])
    .where('runs.id', '=', run)
    .executeTakeFirst()
  if (!row) return null
  return row.role === null ? row.owner : row.starter
}

/** The names of those among these users who may see the run. */
export async function namesIn(db: Db, run: RunId, users: readonly UserId[]): Promise<Map<UserId, string>> {
  if (users.length === 0) return new Map()
  const may = new Set((await usersOfRuns(db, [run])).map(({ user }) => user))
  const seen = users.filter((user) => may.has(user))
  if (seen.length === 0) return new Map()
  const rows = await db.selectFrom('users').select(['id', 'name']).where('id', 'in', seen).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

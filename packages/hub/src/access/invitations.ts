import type { GivenRole, Invitation, OfferedInvitation } from '@farhand/protocol/schemas/sharing'
import { Fault } from '@farhand/protocol/wire/faults'
import { type ProjectId, randomName, type UserId } from '@farhand/protocol/wire/ids'
import { noteAllSeen } from '../store/listing/run-preferences.ts'
import type { Db } from '../store/tables.ts'
import { rolesIn } from './project-members.ts'
import { hashOf } from './tokens.ts'

const dayMs = 24 * 3600_000
const mostPerProject = 50
const mostMembers = 500

type Asked = { role: GivenRole; days: number; uses: number; by: UserId }

/** Makes an invitation to a project. Its token is returned here and never again: only its SHA-256 is kept. */
export async function createInvitation(
  db: Db,
  project: ProjectId,
  { role, days, uses, by }: Asked,
  now: Date,
): Promise<Invitation & { token: string }> {
  await db.deleteFrom('project_invitations').where('expires_at', '<=', now.toISOString()).execute()
  if ((await listInvitations(db, project, now)).length >= mostPerProject)
    throw new Fault(
      'link.too-many',
      `this project has ${mostPerProject} invitations that still work; revoke some first`,
    )
  const token = `fhi_${randomName(40)}`
  const [createdAt, expiresAt] = [now, new Date(now.getTime() + days * dayMs)].map((at) => at.toISOString())
  const id = `inv_${randomName()}`
  await db
    .insertInto('project_invitations')
    .values({
      ...{ id, project_id: project, role, hash: hashOf(token), uses_left: uses, created_by: by },
      ...{ created_at: createdAt!, expires_at: expiresAt! },
    })
    .execute()
  return { id, role, usesLeft: uses, createdAt: createdAt!, expiresAt: expiresAt!, token }
}

/** The invitations to a project that still work, the newest first. */
export async function listInvitations(db: Db, project: ProjectId, now: Date): Promise<Invitation[]> {
  const rows = await db
    .selectFrom('project_invitations')
    .selectAll()
    .where('project_id', '=', project)
    .where('expires_at', '>', now.toISOString())
    .where('uses_left', '>', 0)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map(({ id, role, uses_left, created_at, expires_at }) => ({
    ...{ id, role, usesLeft: uses_left, createdAt: created_at, expiresAt: expires_at },
  }))
}

/** Revokes an invitation; false if the project has none of this id. */
export async function revokeInvitation(db: Db, project: ProjectId, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('project_invitations')
    .where('id', '=', id)
    .where('project_id', '=', project)
    .executeTakeFirst()
  return Number(numDeletedRows) > 0
}

/** What an invitation offers to this user; null if it is unknown, used up, expired or revoked. */
export async function offerOf(
  db: Db,
  token: string,
  user: UserId,
  now: Date,
): Promise<OfferedInvitation | null> {
  const found = await valid(db, token, now)
  if (!found) return null
  const yours = (await rolesIn(db, found.project_id)).get(user) ?? null
  const { project_name: projectName, by_name: invitedBy, role, expires_at: expiresAt } = found
  return { projectName, role, invitedBy, expiresAt, yours }
}

/**
 * Makes the user a member of the project; null if the invitation is unknown, used up, expired or revoked. A user who has this role
 * already, or more, uses nothing up, and never gets less.
 */
export async function acceptInvitation(
  db: Db,
  token: string,
  user: UserId,
  now: Date,
): Promise<ProjectId | null> {
  return await db.transaction().execute(async (trx) => {
    const found = await valid(trx, token, now)
    if (!found) return null
    const { id, project_id: project, role } = found
    const roles = await rolesIn(trx, project)
    const before = roles.get(user)
    if (before === 'owner' || before === role || before === 'member') return project
    // The count is checked again by the write itself: of two users at once, only one gets the last use.
    const { numUpdatedRows } = await trx
      .updateTable('project_invitations')
      .set(({ eb }) => ({ uses_left: eb('uses_left', '-', 1) }))
      .where('id', '=', id)
      .where('uses_left', '>', 0)
      .executeTakeFirst()
    if (Number(numUpdatedRows) === 0) return null
    if (roles.size >= mostMembers)
      throw new Fault('link.too-many', `this project has ${mostMembers} users, and no more are taken`)
    await trx
      .insertInto('project_members')
      .values({ project_id: project, user_id: user, role, created_at: now.toISOString() })
      .onConflict((conflict) => conflict.columns(['project_id', 'user_id']).doUpdateSet({ role }))
      .execute()
    await trx.updateTable('projects').set({ is_shared: 1 }).where('id', '=', project).execute()
    if (before === undefined) await noteAllSeen(trx, project, user, now)
    return project
  })
}

/** Looked up by its hash, so that the timing reveals nothing about the token. */
async function valid(db: Db, token: string, now: Date) {
  return await db
    .selectFrom('project_invitations')
    .innerJoin('projects', 'projects.id', 'project_invitations.project_id')
    .innerJoin('users', 'users.id', 'project_invitations.created_by')
    .selectAll('project_invitations')
    .select(['projects.name as project_name', 'users.name as by_name'])
    .where('hash', '=', hashOf(token))
    .where('expires_at', '>', now.toISOString())
    .where('uses_left', '>', 0)
    .executeTakeFirst()
}

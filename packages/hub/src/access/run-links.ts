import type { RunLink } from '@farhand/protocol/schemas/sharing'
import { Fault } from '@farhand/protocol/wire/faults'
import { type RunId, randomName, type UserId } from '@farhand/protocol/wire/ids'
import { anHourBefore, type Db } from '../store/tables.ts'
import { hashOf } from './tokens.ts'

const dayMs = 24 * 3600_000
const mostPerRun = 50

export const isGuestToken = (token: string): boolean => token.startsWith('fhg_')

/** Makes a link that shows a run. Its token is returned here and never again: only its SHA-256 is kept. */
export async function createRunLink(
  db: Db,
  run: RunId,
  { days, by }: { days: number; by: UserId },
  now: Date,
): Promise<{ id: string; token: string }> {
  await db.deleteFrom('run_links').where('expires_at', '<=', longAgo(now)).execute()
  const { links } = await db
    .selectFrom('run_links')
    .select(({ fn }) => fn.countAll<number | string>().as('links'))
    .where('run_id', '=', run)
    .executeTakeFirstOrThrow()
  if (Number(links) >= mostPerRun)
    throw new Fault('link.too-many', `this run has ${mostPerRun} links; revoke some first`)
  const token = `fhg_${randomName(40)}`
  const id = `lnk_${randomName()}`
  const until = new Date(now.getTime() + days * dayMs)
  await db
    .insertInto('run_links')
    .values({
      ...{ id, run_id: run, hash: hashOf(token), created_by: by, last_used_at: null },
      ...{ created_at: now.toISOString(), expires_at: until.toISOString() },
    })
    .execute()
  return { id, token }
}

/** The links that still work for runs of projects that this user owns, the newest first. */
export async function listRunLinks(
  db: Db,
  owner: UserId,
  { run, id }: { run?: RunId | undefined; id?: string },
  now: Date,
): Promise<RunLink[]> {
  const rows = await db
    .selectFrom('run_links')
    .innerJoin('runs', 'runs.id', 'run_links.run_id')
    .innerJoin('tasks', 'tasks.id', 'runs.task_id')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .selectAll('run_links')
    .select(['runs.title', 'tasks.title as task_title'])
    .where('projects.owner_id', '=', owner)
    .where('run_links.expires_at', '>', now.toISOString())
    .$if(run !== undefined, (query) => query.where('run_links.run_id', '=', run!))
    .$if(id !== undefined, (query) => query.where('run_links.id', '=', id!))
    .orderBy('run_links.created_at', 'desc')
    .orderBy('run_links.id')
    .execute()
  return rows.map((row) => ({
    ...{ id: row.id, run: row.run_id, title: row.title ?? row.task_title },
    ...{ createdAt: row.created_at, expiresAt: row.expires_at, lastUsedAt: row.last_used_at },
  }))
}

/** The run of a link, whether it still works or not; null if there is none of this id. */
export async function runOfLink(db: Db, id: string): Promise<RunId | null> {
  const row = await db.selectFrom('run_links').select('run_id').where('id', '=', id).executeTakeFirst()
  return row?.run_id ?? null
}

export async function revokeRunLink(db: Db, id: string): Promise<void> {
  await db.deleteFrom('run_links').where('id', '=', id).execute()
}

/** The link of a token; null if it is unknown or revoked. Looked up by its hash, so that the timing reveals nothing about the token. */
export async function linkOfToken(
  db: Db,
  token: string,
  now: Date,
): Promise<{ id: string; run: RunId; expiresAt: string; isExpired: boolean } | null> {
  const row = await db
    .selectFrom('run_links')
    .select(['id', 'run_id', 'expires_at', 'last_used_at'])
    .where('hash', '=', hashOf(token))
    .executeTakeFirst()
  if (!row) return null
  const isExpired = row.expires_at <= now.toISOString()
  if (!isExpired && (row.last_used_at ?? '') < anHourBefore(now)) {
    const used = db.updateTable('run_links').set({ last_used_at: now.toISOString() })
    // A full disk must not prevent reading.
    await used
      .where('id', '=', row.id)
      .execute()
      .catch(() => {})
  }
  return { id: row.id, run: row.run_id, expiresAt: row.expires_at, isExpired }
}

/** What a run is called. */
export async function titleOf(db: Db, run: RunId): Promise<string> {
  const row = await db
    .selectFrom('runs')
    .innerJoin('tasks', 'tasks.id', 'runs.task_id')
    .select(['runs.title', 'tasks.title as task_title'])
    .where('runs.id', '=', run)
    .executeTakeFirstOrThrow()
  return row.title ?? row.task_title
}

/** So long an expired link is still known, so that a browser that has it says why it shows nothing. */
const longAgo = (now: Date) => new Date(now.getTime() - 90 * dayMs).toISOString()

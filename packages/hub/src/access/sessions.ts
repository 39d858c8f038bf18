import type { Session } from '@farhand/protocol/schemas/sessions'
import { type DeviceId, newId, randomName, SessionId, type UserId } from '@farhand/protocol/wire/ids'
import { getsNotifications, isGoodToken } from '../store/good-tokens.ts'
import type { Db } from '../store/tables.ts'
import { hashOf } from './tokens.ts'

/** The two halves of a session's token: only both together are valid. */
export type SessionToken = { cookie: string; key: string }

/** The whole token, as it is looked up. Neither half contains a dot. */
export const wholeToken = ({ cookie, key }: SessionToken): string => `${cookie}.${key}`

/** How long a session is valid without use, unless the hub is set to another time. */
export const usualSessionMs = 24 * 3600_000

/** What a session begins with. `begunBy` is null unless it shows who the user is: a token or a code may be in the wrong hands. */
export type SessionStart = {
  user: UserId
  device?: DeviceId | null
  begunBy?: 'password' | 'machine' | null
}

/** Begins a session; the text of its token is returned here and never again. It ends with the bound device that it was begun from. */
export async function beginSession(
  db: Db,
  { user, name, device = null, begunBy = null }: SessionStart & { name: string },
  now: Date,
  lastsMs = usualSessionMs,
): Promise<SessionToken> {
  const token: SessionToken = { cookie: `fhs_${randomName(40)}`, key: randomName(40) }
  const at = now.toISOString()
  await db
    .insertInto('tokens')
    .values({
      id: newId(SessionId, 'ses'),
      user_id: user,
      name,
      hash: hashOf(wholeToken(token)),
      created_at: at,
      last_used_at: at,
      revoked_at: null,
      kind: 'session',
      expires_at: new Date(now.getTime() + lastsMs).toISOString(),
      device_id: device,
      begun_by: begunBy,
    })
    .execute()
  return token
}

/** The sessions of a user, the last used first. One that has expired is among them while its browser gets notifications. */
export async function listSessions(
  db: Db,
  user: UserId,
  own: SessionId | null,
  now: Date,
): Promise<Session[]> {
  const rows = await db
    .selectFrom('tokens')
    .select(['id', 'name', 'created_at', 'last_used_at', 'expires_at'])
    .where('user_id', '=', user)
    .where('kind', '=', 'session')
    .where(({ or, and, eb }) =>
      or([
        isGoodToken(now),
        and([
          getsNotifications(now),
          eb('id', 'in', db.selectFrom('push_subscriptions').select('token_id').where('user_id', '=', user)),
        ]),
      ]),
    )
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map(({ id, name, created_at, last_used_at, expires_at }) => ({
    id: SessionId.parse(id),
    name,
    createdAt: created_at,
    lastSeenAt: last_used_at,
    expiresAt: expires_at,
    isThis: id === own,
  }))
}

/** Renames a session of this user; false if there is none or it has ended. */
export async function renameSession(
  db: Db,
  user: UserId,
  session: string,
  name: string,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tokens')
    .set({ name })
    .where('id', '=', session)
    .where('user_id', '=', user)
    .where('kind', '=', 'session')
    .where(isGoodToken(now))
    .executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

/** The session of a token that was not ended, also if it has expired; null if there is none. */
export async function sessionOfToken(
  db: Db,
  token: string,
): Promise<{ user: UserId; session: string } | null> {
  const row = await db
    .selectFrom('tokens')
    .select(['id', 'user_id'])
    .where('hash', '=', hashOf(token))
    .where('kind', '=', 'session')
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return row ? { user: row.user_id, session: row.id } : null
}

/** When a session began in which the user has shown who they are; null for every other token (W77). */
export async function provenSince(db: Db, token: string): Promise<string | null> {
  const row = await db
    .selectFrom('tokens')
    .select('created_at')
    .where('id', '=', token)
    .where('kind', '=', 'session')
    .where('begun_by', 'is not', null)
    .where('device_id', 'is', null)
    .executeTakeFirst()
  return row?.created_at ?? null
}

/** The name of a session; null if it is not this user's. */
export async function sessionName(db: Db, user: UserId, session: string): Promise<string | null> {
  const row = await db
    .selectFrom('tokens')
    .select('name')
    .where('id', '=', session)
    .where('user_id', '=', user)
    .executeTakeFirst()
  return row?.name ?? null
}

/** Ends a session of this user; false if there is none or it has ended before. */
export async function endSession(db: Db, user: UserId, session: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tokens')
    .set({ revoked_at: now.toISOString() })
    .where('id', '=', session)
    .where('user_id', '=', user)
    .where('kind', '=', 'session')
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

import type { Session } from '@farhand/protocol/schemas/sessions'
import { newId, randomName, SessionId, type UserId } from '@farhand/protocol/wire/ids'
import { isGoodToken } from '../store/good-tokens.ts'
import type { Db } from '../store/tables.ts'
import { hashOf } from './tokens.ts'

/** The two halves of a session's token: only both together are valid. */
export type SessionToken = { cookie: string; key: string }

/** The whole token, as it is looked up. Neither half contains a dot. */
export const wholeToken = ({ cookie, key }: SessionToken): string => `${cookie}.${key}`

/** Begins a session; the text of its token is returned here and never again. */
export async function beginSession(db: Db, user: UserId, name: string, now: Date): Promise<SessionToken> {
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
    })
    .execute()
  return token
}

/** The sessions of a user, the last used first. */
export async function listSessions(
  db: Db,
  user: UserId,
  own: SessionId | null,
  now: Date,
): Promise<Session[]> {
  const rows = await db
    .selectFrom('tokens')
    .select(['id', 'name', 'created_at', 'last_used_at'])
    .where('user_id', '=', user)
    .where('kind', '=', 'session')
    .where(isGoodToken(now))
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map(({ id, name, created_at, last_used_at }) => ({
    id: SessionId.parse(id),
    name,
    createdAt: created_at,
    lastSeenAt: last_used_at,
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

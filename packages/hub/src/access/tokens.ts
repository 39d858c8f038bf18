import { createHash } from 'node:crypto'
import { Fault } from '@farhand/protocol/wire/faults'
import { randomName, SessionId, type UserId } from '@farhand/protocol/wire/ids'
import { isGoodToken } from '../store/good-tokens.ts'
import { anHourBefore, type Db, type Role } from '../store/tables.ts'

/** A user of the hub. */
export type User = { id: UserId; name: string; role: Role }

/** Makes a token for a user. Its text is returned here and never again: only its SHA-256 is kept. */
export async function createToken(db: Db, user: UserId, name: string, now: Date): Promise<string> {
  const token = `fh_${randomName(40)}`
  await db
    .insertInto('tokens')
    .values({
      id: `tok_${randomName()}`,
      user_id: user,
      name,
      hash: hashOf(token),
      created_at: now.toISOString(),
      last_used_at: null,
      revoked_at: null,
      kind: 'token',
    })
    .execute()
  return token
}

/** Makes another token for the user of that name. */
export async function addToken(
  db: Db,
  userName: string,
  now: Date,
  tokenName = 'token',
): Promise<{ token: string }> {
  const user = await userNamed(db, userName)
  return { token: await createToken(db, user, tokenName, now) }
}

/** Revokes every token of the user of that name and says how many there were. */
export async function revokeTokens(db: Db, userName: string, now: Date): Promise<{ revoked: number }> {
  const user = await userNamed(db, userName)
  const rows = await db
    .updateTable('tokens')
    .set({ revoked_at: now.toISOString() })
    .where('user_id', '=', user)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute()
  return { revoked: rows.length }
}

/** The user of a token, or null. Looked up by its hash, so that the timing reveals nothing about the token. */
export async function userByToken(
  db: Db,
  token: string,
  now = new Date(),
): Promise<{ user: User; tokenId: string } | null> {
  const row = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(['users.id', 'users.name', 'users.role', 'tokens.id as token_id'])
    .where('tokens.hash', '=', hashOf(token))
    .where(isGoodToken(now))
    .executeTakeFirst()
  return row ? { user: { id: row.id, name: row.name, role: row.role }, tokenId: row.token_id } : null
}

/** Whether this was a user's token that was revoked; false for a session that expired because it was not used. */
export async function wasRevoked(db: Db, token: string): Promise<boolean> {
  const row = await db
    .selectFrom('tokens')
    .select('id')
    .where('hash', '=', hashOf(token))
    .where('revoked_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Records the use of a token: at most one write an hour, or in five minutes for a session, as users see these in a list. */
export async function markTokenUsed(db: Db, tokenId: string, now: Date): Promise<void> {
  const longAgo = SessionId.safeParse(tokenId).success ? someMinutesBefore(now) : anHourBefore(now)
  await db
    .updateTable('tokens')
    .set({ last_used_at: now.toISOString() })
    .where('id', '=', tokenId)
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', longAgo)]))
    .execute()
}

async function userNamed(db: Db, name: string): Promise<UserId> {
  const row = await db.selectFrom('users').select('id').where('name', '=', name).executeTakeFirst()
  if (row) return row.id
  throw new Fault('request.malformed', `there is no user called ${JSON.stringify(name)}`, { field: 'user' })
}

const someMinutesBefore = (now: Date) => new Date(now.getTime() - 5 * 60_000).toISOString()

/** Tokens and codes are stored only as this hash. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

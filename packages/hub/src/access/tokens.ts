import { createHash } from 'node:crypto'
import { Fault } from '@farhand/protocol/wire/faults'
import { DeviceId, randomName, type UserId } from '@farhand/protocol/wire/ids'
import { isGoodToken } from '../store/good-tokens.ts'
import { anHourBefore, type Db, type Role } from '../store/tables.ts'

const dayMs = 24 * 3600_000

/** A user of the hub. */
export type User = { id: UserId; name: string; role: Role }

/** Makes a token for a user, for ever or for some days. Its text is returned here and never again: only its SHA-256 is kept. */
export async function createToken(
  db: Db,
  user: UserId,
  name: string,
  now: Date,
  days: number | null = null,
): Promise<string> {
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
      expires_at: days === null ? null : new Date(now.getTime() + days * dayMs).toISOString(),
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
  days: number | null = null,
): Promise<{ token: string }> {
  const user = await idOfUser(db, userName)
  return { token: await createToken(db, user, tokenName, now, days) }
}

/**
 * Revokes every token of the user of that name, with their devices and their password, and says how many tokens there were: afterwards
 * there is no way in.
 */
export async function revokeTokens(db: Db, userName: string, now: Date): Promise<{ revoked: number }> {
  const user = await idOfUser(db, userName)
  return await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('passwords').where('user_id', '=', user).execute()
    await trx.deleteFrom('sign_in_codes').where('user_id', '=', user).execute()
    await trx.deleteFrom('acp_codes').where('user_id', '=', user).execute()
    await trx.updateTable('acp_devices').set({ is_active: 0 }).where('user_id', '=', user).execute()
    const rows = await trx
      .updateTable('tokens')
      .set({ revoked_at: now.toISOString() })
      .where('user_id', '=', user)
      .where('revoked_at', 'is', null)
      .returning('id')
      .execute()
    return { revoked: rows.length }
  })
}

/** A valid token's user, and what kind of token it is. */
export type TokenUse = {
  user: User
  tokenId: string
  kind: 'token' | 'session' | 'device'
  /** The bound device that it is of, or that its session was begun from. */
  device: DeviceId | null
}

/** The user of a token, or null. Looked up by its hash, so that the timing reveals nothing about the token. */
export async function userByToken(db: Db, token: string, now = new Date()): Promise<TokenUse | null> {
  const row = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(['users.id', 'users.name', 'users.role', 'tokens.id as token_id', 'tokens.kind'])
    .select('tokens.device_id')
    .where('tokens.hash', '=', hashOf(token))
    .where(isGoodToken(now))
    .executeTakeFirst()
  if (!row) return null
  const { id, name, role, token_id: tokenId, kind } = row
  const device = DeviceId.safeParse(row.device_id).data ?? null
  return { user: { id, name, role }, tokenId, kind, device }
}

/** Call it in the transaction that writes what a token allows: throws if the token was revoked or has expired meanwhile. */
export async function requireGoodToken(trx: Db, token: string, now: Date): Promise<void> {
  const row = await trx
    .selectFrom('tokens')
    .select('id')
    .where('id', '=', token)
    .where(isGoodToken(now))
    .executeTakeFirst()
  if (!row) throw new Fault('token.revoked', 'this token was taken away; sign in again')
}

/** Why a token is not valid. */
export async function whyNotValid(db: Db, token: string): Promise<'revoked' | 'expired' | 'unknown'> {
  const row = await db
    .selectFrom('tokens')
    .select('revoked_at')
    .where('hash', '=', hashOf(token))
    .executeTakeFirst()
  if (!row) return 'unknown'
  return row.revoked_at === null ? 'expired' : 'revoked'
}

/**
 * Records the use of a token: at most one write an hour, or in five minutes for a session, as users see these in a list. A session
 * lasts from then on.
 */
export async function markTokenUsed(
  db: Db,
  { tokenId, kind }: Pick<TokenUse, 'tokenId' | 'kind'>,
  now: Date,
  sessionMs: number,
): Promise<void> {
  const isSession = kind === 'session'
  const longAgo = isSession ? someMinutesBefore(now) : anHourBefore(now)
  const until = new Date(now.getTime() + sessionMs).toISOString()
  await db
    .updateTable('tokens')
    .set({ last_used_at: now.toISOString(), ...(isSession && { expires_at: until }) })
    .where('id', '=', tokenId)
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', longAgo)]))
    .execute()
}

/** The id of the user of that name. */
export async function idOfUser(db: Db, name: string): Promise<UserId> {
  const row = await db.selectFrom('users').select('id').where('name', '=', name).executeTakeFirst()
  if (row) return row.id
  throw new Fault('request.malformed', `there is no user called ${JSON.stringify(name)}`, { field: 'user' })
}

const someMinutesBefore = (now: Date) => new Date(now.getTime() - 5 * 60_000).toISOString()

/** Tokens and codes are stored only as this hash. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

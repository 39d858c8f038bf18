import type { ListedToken } from '@farhand/protocol/schemas/accounts'
import { TokenId, type UserId } from '@farhand/protocol/wire/ids'
import type { Db } from '../store/tables.ts'

/** A user's own tokens that are not revoked, the newest first. Those that have expired are among them. */
export async function listUserTokens(db: Db, user: UserId, own: string | null): Promise<ListedToken[]> {
  const rows = await db
    .selectFrom('tokens')
    .select(['id', 'name', 'created_at', 'last_used_at', 'expires_at'])
    .where('user_id', '=', user)
    .where('kind', '=', 'token')
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map(({ id, name, created_at, last_used_at, expires_at }) => ({
    ...{ id: TokenId.parse(id), name, createdAt: created_at },
    ...{ lastUsedAt: last_used_at, expiresAt: expires_at, isThis: id === own },
  }))
}

/** Revokes one of a user's own tokens; false if there is none, or it was revoked before. */
export async function revokeUserToken(db: Db, user: UserId, token: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tokens')
    .set({ revoked_at: now.toISOString() })
    .where('id', '=', token)
    .where('user_id', '=', user)
    .where('kind', '=', 'token')
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

import { Fault, malformed } from '@farhand/protocol/wire/faults'
import { newId, UserId } from '@farhand/protocol/wire/ids'
import { isGoodToken } from '../store/good-tokens.ts'
import type { Db, Role } from '../store/tables.ts'
import { createToken, type User } from './tokens.ts'

/** Adds a user with a first token, whose text is shown here and never again. */
export async function addUser(
  db: Db,
  { name, role }: { name: string; role: Role },
  now: Date,
): Promise<{ user: User; token: string }> {
  if (!/^[^\s\p{C}]([^\p{C}]{0,98}[^\s\p{C}])?$/u.test(name)) {
    throw malformed('name', 'expected 1 to 100 printable characters')
  }
  return db.transaction().execute(async (trx) => {
    const user = await insertUser(trx, name, role, now)
    if (user) return { user, token: await createToken(trx, user.id, 'first', now) }
    throw new Fault('request.malformed', `there is already a user called ${JSON.stringify(name)}`, {
      field: 'name',
    })
  })
}

/** All users, in the order in which they were added. */
export async function listUsers(db: Db): Promise<(User & { createdAt: string; tokens: number })[]> {
  const rows = await db
    .selectFrom('users')
    .leftJoin('tokens', (join) =>
      join
        .onRef('tokens.user_id', '=', 'users.id')
        .on('tokens.revoked_at', 'is', null)
        .on('tokens.kind', '=', 'token'),
    )
    .select(({ fn }) => [
      'users.id',
      'users.name',
      'users.role',
      'users.created_at',
      fn.count<number | string>('tokens.id').as('tokens'),
    ])
    .groupBy(['users.id', 'users.name', 'users.role', 'users.created_at'])
    .orderBy('users.created_at')
    .orderBy('users.name')
    .execute()
  return rows.map(({ id, name, role, created_at, tokens }) => ({
    id,
    name,
    role,
    createdAt: created_at,
    tokens: Number(tokens),
  }))
}

/** The role of a user; `member` if the user no longer exists. */
export async function roleOf(db: Db, user: UserId): Promise<Role> {
  const row = await db.selectFrom('users').select('role').where('id', '=', user).executeTakeFirst()
  return row?.role ?? 'member'
}

/** How many users have a token that is not revoked. */
export async function countUsers(db: Db): Promise<number> {
  const row = await db
    .selectFrom('tokens')
    .select(({ fn }) => fn.count<number | string>('user_id').distinct().as('users'))
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(row.users)
}

/** Whether the hub has no other user than this one. */
export async function isOnlyUser(db: Db, user: UserId): Promise<boolean> {
  const other = await db.selectFrom('users').select('id').where('id', '!=', user).limit(1).executeTakeFirst()
  return other === undefined
}

/** Makes the first owner and returns their token, or null if there is an owner. Two starts at once make only one. */
export async function ensureOwner(db: Db, now: Date): Promise<{ token: string } | null> {
  return db.transaction().execute(async (trx) => {
    const owner = () => trx.selectFrom('users').select('id').where('role', '=', 'owner').executeTakeFirst()
    if (await owner()) return null
    // A member may have been called "owner" before there was one.
    for (let name = 'owner'; ; name += '_') {
      const user = await insertUser(trx, name, 'owner', now)
      if (user) return { token: await createToken(trx, user.id, 'first', now) }
      if (await owner()) return null
    }
  })
}

async function insertUser(db: Db, name: string, role: Role, now: Date): Promise<User | undefined> {
  return db
    .insertInto('users')
    .values({ id: newId(UserId, 'usr'), name, role, created_at: now.toISOString() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning(['id', 'name', 'role'])
    .executeTakeFirst()
}

/** Whether a user has any way in: a token or session that is valid, a bound device, or a password. */
export async function isActiveUser(db: Db, user: UserId, now = new Date()): Promise<boolean> {
  const tokens = db.selectFrom('tokens').select('id').where('user_id', '=', user)
  if (await tokens.where(isGoodToken(now)).limit(1).executeTakeFirst()) return true
  // Its token may have expired while it was off; it renews it.
  const devices = db.selectFrom('acp_devices').select('id').where('user_id', '=', user)
  if (await devices.where('is_active', '=', 1).limit(1).executeTakeFirst()) return true
  const password = db.selectFrom('passwords').select('user_id').where('user_id', '=', user)
  return (await password.executeTakeFirst()) !== undefined
}

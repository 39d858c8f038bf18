import { passwordLength } from '@farhand/protocol/schemas/accounts'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import type { UserId } from '@farhand/protocol/wire/ids'
import type { Db } from '../store/tables.ts'
import type { PasswordHasher } from './passwords/password-hasher.ts'
import { requireGoodToken } from './tokens.ts'

/** A password that was right, and the stored hash that it was checked against. */
export type RightPassword = { user: UserId; hash: string }

/** What a caller who sets a password must still have when it is stored: hashing takes long enough to be revoked meanwhile. */
type SetBy = { tokenId: string; old: RightPassword | null }

/** Sets the password of a user; those who are signed in stay signed in. `by` is null for the operator of the hub. */
export async function setPassword(
  db: Db,
  hasher: Pick<PasswordHasher, 'hash'>,
  user: UserId,
  password: string,
  now: Date,
  by: SetBy | null = null,
): Promise<void> {
  const name = await db.selectFrom('users').select('name').where('id', '=', user).executeTakeFirstOrThrow()
  refuseWeak(password, name.name)
  const row = { hash: await hasher.hash(password), changed_at: now.toISOString() }
  await db.transaction().execute(async (trx) => {
    if (by) await requireGoodToken(trx, by.tokenId, now)
    if (by?.old) await requireSamePassword(trx, by.old)
    await trx
      .insertInto('passwords')
      .values({ user_id: user, ...row })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
      .execute()
  })
}

/**
 * Call it in the transaction that writes what a password allows: throws if the password was changed or taken away since it was checked.
 */
export async function requireSamePassword(trx: Db, { user, hash }: RightPassword): Promise<void> {
  const row = await trx.selectFrom('passwords').select('hash').where('user_id', '=', user).executeTakeFirst()
  if (row?.hash !== hash) throw new Fault('password.wrong', 'user name and password do not belong together')
}

/** Takes the password of a user away; false if there was none. */
export async function removePassword(db: Db, user: UserId): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('passwords').where('user_id', '=', user).executeTakeFirst()
  return Number(numDeletedRows) > 0
}

/** When the password of a user was set; null if there is none. */
export async function passwordSince(db: Db, user: UserId): Promise<string | null> {
  const row = await db
    .selectFrom('passwords')
    .select('changed_at')
    .where('user_id', '=', user)
    .executeTakeFirst()
  return row?.changed_at ?? null
}

/**
 * The user with this name and password; null if there is none. It takes the same time for a wrong password, an unknown user and one
 * without a password, so that user names cannot be found out.
 */
export async function userByPassword(
  db: Db,
  hasher: Pick<PasswordHasher, 'isRight'>,
  { username, password }: { username: string; password: string },
): Promise<RightPassword | null> {
  const row = await db
    .selectFrom('users')
    .leftJoin('passwords', 'passwords.user_id', 'users.id')
    .select(['users.id', 'passwords.hash'])
    .where('users.name', '=', username)
    .executeTakeFirst()
  const isRight = await hasher.isRight(password, row?.hash ?? null)
  return row?.hash && isRight ? { user: row.id, hash: row.hash } : null
}

function refuseWeak(password: string, name: string): void {
  const { least, most } = passwordLength
  if (password.length < least || password.length > most)
    throw malformed('password', `expected ${least} to ${most} characters`)
  if (password.toLowerCase().includes(name.toLowerCase()) && password.length < name.length + least)
    throw malformed('password', 'is the user name with little more; choose another')
  if (new Set(password).size < 4) throw malformed('password', 'has too few different characters')
}

import { signInCodeMinutes } from '@farhand/protocol/schemas/sessions'
import { DeviceId, type UserId } from '@farhand/protocol/wire/ids'
import type { Db } from '../store/tables.ts'
import { hashOf } from './tokens.ts'

// Without I, L, O and U, which users easily confuse with other characters.
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const length = 10
const goodForMs = signInCodeMinutes * 60_000

/** Random letters that users can type. */
export const randomCode = (length: number): string =>
  [...crypto.getRandomValues(new Uint8Array(length))].map((byte) => letters[byte % letters.length]).join('')

/**
 * Makes a code that signs in as this user, once, within ten minutes. Only its SHA-256 is kept. If a bound device asks for it, the
 * session ends when that device is revoked.
 */
export async function makeSignInCode(
  db: Db,
  user: UserId,
  now: Date,
  device: DeviceId | null = null,
): Promise<{ code: string; until: string }> {
  const code = randomCode(length)
  const until = new Date(now.getTime() + goodForMs).toISOString()
  await db.deleteFrom('sign_in_codes').where('until', '<', now.toISOString()).execute()
  await db
    .insertInto('sign_in_codes')
    .values({ hash: hashOf(code), user_id: user, until, device_id: device })
    .execute()
  return { code, until }
}

/** Makes a code for the first owner of this hub; the hub shows it to its operator. */
export async function makeOwnersCode(db: Db, now: Date): Promise<string> {
  const owner = await db
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'owner')
    .orderBy('created_at')
    .executeTakeFirstOrThrow()
  return (await makeSignInCode(db, owner.id, now)).code
}

/** Uses up a code and returns its user and device. If several requests use it at once, one gets them and the others null. */
export async function useSignInCode(
  db: Db,
  typed: string,
  now: Date,
): Promise<{ user: UserId; device: DeviceId | null } | null> {
  const row = await db
    .deleteFrom('sign_in_codes')
    .where('hash', '=', hashOf(asMade(typed)))
    .where('until', '>=', now.toISOString())
    // A code made while the clock was ahead would be valid for too long.
    .where('until', '<=', new Date(now.getTime() + goodForMs).toISOString())
    .returning(['user_id', 'device_id'])
    .executeTakeFirst()
  return row ? { user: row.user_id, device: DeviceId.safeParse(row.device_id).data ?? null } : null
}

/** Accepts lower case, groups with spaces or dashes, and letters that look like digits. */
export const asMade = (typed: string) =>
  typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')

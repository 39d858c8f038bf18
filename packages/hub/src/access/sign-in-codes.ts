import { signInCodeMinutes } from '@farhand/protocol/schemas/sessions'
import type { UserId } from '@farhand/protocol/wire/ids'
import type { Db } from '../store/tables.ts'
import { hashOf } from './tokens.ts'

// Without I, L, O and U, which users easily confuse with other characters.
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const length = 10
const goodForMs = signInCodeMinutes * 60_000

/** Makes a code that signs in as this user, once, within ten minutes. Only its SHA-256 is kept. */
export async function makeSignInCode(
  db: Db,
  user: UserId,
  now: Date,
): Promise<{ code: string; until: string }> {
  const code = [...crypto.getRandomValues(new Uint8Array(length))]
    .map((byte) => letters[byte % letters.length])
    .join('')
  const until = new Date(now.getTime() + goodForMs).toISOString()
  await db.deleteFrom('sign_in_codes').where('until', '<', now.toISOString()).execute()
  await db
    .insertInto('sign_in_codes')
    .values({ hash: hashOf(code), user_id: user, until })
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

/** Uses up a code and returns its user. If several requests use it at once, one gets the user and the others null. */
export async function useSignInCode(db: Db, typed: string, now: Date): Promise<UserId | null> {
  const row = await db
    .deleteFrom('sign_in_codes')
    .where('hash', '=', hashOf(asMade(typed)))
    .where('until', '>=', now.toISOString())
    // A code made while the clock was ahead would be valid for too long.
    .where('until', '<=', new Date(now.getTime() + goodForMs).toISOString())
    .returning('user_id')
    .executeTakeFirst()
  return row?.user_id ?? null
}

/** Accepts lower case, groups with spaces or dashes, and letters that look like digits. */
const asMade = (typed: string) =>
  typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')

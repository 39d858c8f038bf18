import { signInCodeMinutes } from '@farhand/protocol/schemas/sessions'
import { DeviceId, type UserId } from '@farhand/protocol/wire/ids'
import type { Db } from '../store/tables.ts'
import { hashOf, requireGoodToken } from './tokens.ts'

// Without I, L, O and U, which users easily confuse with other characters.
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const length = 10
const goodForMs = signInCodeMinutes * 60_000

/** Random letters that users can type. */
export const randomCode = (length: number): string =>
  [...crypto.getRandomValues(new Uint8Array(length))].map((byte) => letters[byte % letters.length]).join('')

/** The caller who makes a code, and whether they are on the hub's own machine. */
type MadeBy = { tokenId: string; device: DeviceId | null; isOnMachine: boolean }

/**
 * Makes a code that signs in as this user, once, within ten minutes. Only its SHA-256 is kept. If a bound device asks for it, the
 * session ends when that device is revoked. `by` is null for a code that the hub itself shows to its operator.
 */
export async function makeSignInCode(
  db: Db,
  user: UserId,
  now: Date,
  by: MadeBy | null = null,
): Promise<{ code: string; until: string }> {
  const code = randomCode(length)
  const until = new Date(now.getTime() + goodForMs).toISOString()
  const isOfMachine = by?.isOnMachine ?? true
  await db.transaction().execute(async (trx) => {
    if (by) await requireGoodToken(trx, by.tokenId, now)
    await trx.deleteFrom('sign_in_codes').where('until', '<', now.toISOString()).execute()
    await trx
      .insertInto('sign_in_codes')
      .values({
        ...{ hash: hashOf(code), user_id: user, until, device_id: by?.device ?? null },
        ...{ token_id: by?.tokenId ?? null, is_of_machine: isOfMachine ? 1 : 0 },
      })
      .execute()
  })
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

type UsedCode = { user: UserId; device: DeviceId | null; tokenId: string | null; isOfMachine: boolean }

/** Uses up a code and returns its user, and what made it. If several requests use it at once, one gets them and the others null. */
export async function useSignInCode(db: Db, typed: string, now: Date): Promise<UsedCode | null> {
  const row = await db
    .deleteFrom('sign_in_codes')
    .where('hash', '=', hashOf(asMade(typed)))
    .where('until', '>=', now.toISOString())
    // A code made while the clock was ahead would be valid for too long.
    .where('until', '<=', new Date(now.getTime() + goodForMs).toISOString())
    .returning(['user_id', 'device_id', 'token_id', 'is_of_machine'])
    .executeTakeFirst()
  if (!row) return null
  const device = DeviceId.safeParse(row.device_id).data ?? null
  return { user: row.user_id, device, tokenId: row.token_id, isOfMachine: row.is_of_machine === 1 }
}

/** Accepts lower case, groups with spaces or dashes, and letters that look like digits. */
export const asMade = (typed: string) =>
  typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')

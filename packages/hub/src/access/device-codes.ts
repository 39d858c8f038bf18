import type { DeviceTokens, WaitingDevice } from '@farhand/protocol/schemas/accounts'
import { Fault } from '@farhand/protocol/wire/faults'
import { randomName, type UserId } from '@farhand/protocol/wire/ids'
import type { Db } from '../store/tables.ts'
import { bindDeviceIn } from './bound-devices.ts'
import type { Secret } from './secret.ts'
import { asMade, randomCode } from './sign-in-codes.ts'
import { hashOf } from './tokens.ts'

/** How long a user has to approve a device, and how often the device may ask meanwhile. */
export const codeSeconds = 600
export const pollSeconds = 5

const userCodeLength = 8
const mostWaiting = 1000
const mostPerAddress = 10
/** A device that waits exactly the interval must not be too early by what the network saved. */
const tolerancePollMs = 1000

/** Begins the wait of a device that has no browser. Both codes are shown here and never again. */
export async function beginDeviceCode(
  db: Db,
  { name, address }: { name: string; address: string },
  now: Date,
): Promise<{ deviceCode: string; userCode: string }> {
  const [deviceCode, userCode] = [`fhc_${randomName(40)}`, randomCode(userCodeLength)]
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('acp_codes').where('until', '<', now.toISOString()).execute()
    const waiting = await trx.selectFrom('acp_codes').select('address').limit(mostWaiting).execute()
    const fromThere = waiting.filter((one) => one.address === address).length
    if (waiting.length >= mostWaiting || fromThere >= mostPerAddress)
      throw new Fault('code.too-often', 'too many devices wait for approval; try again in some minutes')
    await trx
      .insertInto('acp_codes')
      .values({
        ...{ device_code_hash: hashOf(deviceCode), user_code_hash: hashOf(userCode) },
        ...{ device_name: name, address, state: 'pending', user_id: null, polled_at: null },
        ...{ created_at: now.toISOString(), until: later(now, codeSeconds) },
      })
      .execute()
  })
  return { deviceCode, userCode: `${userCode.slice(0, 4)}-${userCode.slice(4)}` }
}

/** The device that waits for this code; null if none does. */
export async function waitingDevice(db: Db, typed: string, now: Date): Promise<WaitingDevice | null> {
  const row = await db
    .selectFrom('acp_codes')
    .select(['device_name', 'address', 'created_at', 'until'])
    .where('user_code_hash', '=', hashOf(asMade(typed)))
    .where('state', '=', 'pending')
    .where('until', '>=', now.toISOString())
    .executeTakeFirst()
  return row ? { name: row.device_name, address: row.address, since: row.created_at, until: row.until } : null
}

/** Approves or refuses the device that waits for this code; false if none does. The first decision counts. */
export async function decideDeviceCode(
  db: Db,
  typed: string,
  { user, isApproved }: { user: UserId; isApproved: boolean },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('acp_codes')
    .set({ state: isApproved ? 'approved' : 'refused', user_id: user })
    .where('user_code_hash', '=', hashOf(asMade(typed)))
    .where('state', '=', 'pending')
    .where('until', '>=', now.toISOString())
    .executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

type Polled =
  | { is: 'pending' | 'slow-down' | 'refused' | 'expired' }
  | { is: 'approved'; tokens: DeviceTokens }

/** What became of a device's code. An approved one binds the device, and is used up. */
export function pollDeviceCode(
  { db, secret }: { db: Db; secret: Secret },
  deviceCode: string,
  now: Date,
): Promise<Polled> {
  return db.transaction().execute(async (trx): Promise<Polled> => {
    const row = await trx
      .selectFrom('acp_codes')
      .selectAll()
      .where('device_code_hash', '=', hashOf(deviceCode))
      .where('until', '>=', now.toISOString())
      .executeTakeFirst()
    if (!row) return { is: 'expired' }
    if (row.state === 'pending') {
      // Nothing is written: a device that asks all the time costs no disk.
      if (isTooEarly(row.polled_at, now)) return { is: 'slow-down' }
      await trx
        .updateTable('acp_codes')
        .set({ polled_at: now.toISOString() })
        .where('device_code_hash', '=', row.device_code_hash)
        .execute()
      return { is: 'pending' }
    }
    await trx.deleteFrom('acp_codes').where('device_code_hash', '=', row.device_code_hash).execute()
    if (row.state === 'refused' || row.user_id === null) return { is: 'refused' }
    const device = { user: row.user_id, name: row.device_name }
    return { is: 'approved', tokens: await bindDeviceIn({ db: trx, secret }, device, now) }
  })
}

function isTooEarly(polledAt: string | null, now: Date): boolean {
  if (polledAt === null) return false
  const sinceMs = now.getTime() - Date.parse(polledAt)
  // A clock that was set back must not make the device wait.
  return sinceMs >= 0 && sinceMs < pollSeconds * 1000 - tolerancePollMs
}

const later = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString()

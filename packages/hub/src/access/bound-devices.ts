import type { BoundDevice, DeviceTokens } from '@farhand/protocol/schemas/accounts'
import { acpTokenDays } from '@farhand/protocol/schemas/accounts'
import { Fault } from '@farhand/protocol/wire/faults'
import { DeviceId, newId, randomName, type UserId } from '@farhand/protocol/wire/ids'
import type { Db } from '../store/tables.ts'
import type { Secret } from './secret.ts'
import { hashOf } from './tokens.ts'

/** Devices of one user that are not revoked. */
const mostPerUser = 100
const signedAs = 'refresh token'
const dayMs = 24 * 3600_000
/** How long the `acp_token` from before a refresh stays valid, for programs that began with it. */
const previousTokenMs = dayMs

/** The secret signs refresh tokens: one that this hub gave is known as such, however long ago that was. */
type Parts = { db: Db; secret: Secret }
type NewDevice = { user: UserId; name: string }

/** Binds a new device of this user, unless `requires` throws in the same transaction. */
export function bindDevice(
  { db, secret }: Parts,
  device: NewDevice,
  now: Date,
  requires: (trx: Db) => Promise<void> = async () => {},
): Promise<DeviceTokens> {
  return db.transaction().execute(async (trx) => {
    await requires(trx)
    return await bindDeviceIn({ db: trx, secret }, device, now)
  })
}

/** As `bindDevice`, in a transaction of the caller's. */
export async function bindDeviceIn(
  { db: trx, secret }: Parts,
  { user, name }: NewDevice,
  now: Date,
): Promise<DeviceTokens> {
  const { devices } = await trx
    .selectFrom('acp_devices')
    .select(({ fn }) => fn.countAll<number | string>().as('devices'))
    .where('user_id', '=', user)
    .where('is_active', '=', 1)
    .executeTakeFirstOrThrow()
  if (Number(devices) >= mostPerUser)
    throw new Fault(
      'device.refused',
      `you have bound ${mostPerUser} devices, and no more are taken; revoke some first`,
    )
  const device = newId(DeviceId, 'dev')
  const { tokens, row } = newTokens(secret, device, now)
  const at = now.toISOString()
  await trx
    .insertInto('acp_devices')
    .values({
      ...{ id: device, user_id: user, device_name: name, previous_hash: null, is_active: 1 },
      ...{ ...row, created_at: at, last_seen_at: at },
    })
    .execute()
  await insertToken(trx, { user, device, name, tokens, id: row.token_id }, now)
  return tokens
}

type Refreshed = { tokens: DeviceTokens } | { no: 'unknown' | 'revoked' | 'reused' }

/**
 * Exchanges a refresh token for the next tokens. A refresh token that was exchanged before means that two parties have it, and revokes
 * the device. One exception: as long as the tokens it was exchanged for were never used, its answer may have been lost, and it is
 * exchanged once more; the tokens of the lost answer then work no more.
 */
export function refreshDevice({ db, secret }: Parts, refreshToken: string, now: Date): Promise<Refreshed> {
  const hash = hashOf(refreshToken)
  return db.transaction().execute(async (trx): Promise<Refreshed> => {
    const device = await deviceOfRefreshToken(trx, hash, signedFor(secret, refreshToken))
    if (!device) return { no: 'unknown' }
    if (device.is_active === 0) return { no: 'revoked' }
    const isCurrent = device.refresh_token_hash === hash
    const isRepeated = device.previous_hash === hash && !(await isTokenUsed(trx, device.token_id))
    if (!isCurrent && !isRepeated) {
      await revokeIn(trx, device.id, now)
      return { no: 'reused' }
    }
    const id = DeviceId.parse(device.id)
    const { tokens, row } = newTokens(secret, id, now)
    if (isRepeated) await revokeToken(trx, device.token_id, now)
    else await endSoon(trx, device.id, now)
    await trx
      .updateTable('acp_devices')
      .set({ ...row, previous_hash: hash, last_seen_at: now.toISOString() })
      .where('id', '=', device.id)
      .execute()
    const { user_id: user, device_name: name } = device
    await insertToken(trx, { user, device: id, name, tokens, id: row.token_id }, now)
    return { tokens }
  })
}

/** The devices that a user has bound, the last used first. */
export async function listDevices(db: Db, user: UserId, own: DeviceId | null): Promise<BoundDevice[]> {
  const rows = await db
    .selectFrom('acp_devices')
    .select(['id', 'device_name', 'created_at', 'last_seen_at'])
    .where('user_id', '=', user)
    .where('is_active', '=', 1)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map(({ id, device_name, created_at, last_seen_at }) => ({
    ...{ id: DeviceId.parse(id), name: device_name },
    ...{ createdAt: created_at, lastSeenAt: last_seen_at, isThis: id === own },
  }))
}

/**
 * Revokes a device of this user, with its tokens and the browser sessions that were begun from it; false if there is none, or it was
 * revoked before.
 */
export function revokeDevice(db: Db, user: UserId, device: string, now: Date): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('acp_devices')
      .select('id')
      .where('id', '=', device)
      .where('user_id', '=', user)
      .where('is_active', '=', 1)
      .executeTakeFirst()
    if (row) await revokeIn(trx, row.id, now)
    return row !== undefined
  })
}

/** Records that a device was here: at most one write in five minutes. */
export async function markDeviceSeen(db: Db, device: string, now: Date): Promise<void> {
  const longAgo = new Date(now.getTime() - 5 * 60_000).toISOString()
  await db
    .updateTable('acp_devices')
    .set({ last_seen_at: now.toISOString() })
    .where('id', '=', device)
    .where('last_seen_at', '<', longAgo)
    .execute()
}

async function revokeIn(trx: Db, device: string, now: Date): Promise<void> {
  await trx.updateTable('acp_devices').set({ is_active: 0 }).where('id', '=', device).execute()
  await trx
    .updateTable('tokens')
    .set({ revoked_at: now.toISOString() })
    .where('device_id', '=', device)
    .where('revoked_at', 'is', null)
    .execute()
  await trx.deleteFrom('sign_in_codes').where('device_id', '=', device).execute()
}

function newTokens(secret: Secret, device: DeviceId, now: Date) {
  const begin = `fhf_${device}.${randomName(40)}`
  const tokens: DeviceTokens = {
    acp_token: `fha_${randomName(40)}`,
    refresh_token: `${begin}.${secret.sign(signedAs, begin)}`,
    device_id: device,
    expires_at: new Date(now.getTime() + acpTokenDays * dayMs).toISOString(),
  }
  const row = { refresh_token_hash: hashOf(tokens.refresh_token), token_id: `tok_${randomName()}` }
  return { tokens, row }
}

type NewToken = { user: UserId; device: DeviceId; name: string; tokens: DeviceTokens; id: string }

async function insertToken(trx: Db, { user, device, name, tokens, id }: NewToken, now: Date): Promise<void> {
  await trx
    .insertInto('tokens')
    .values({
      ...{ id, user_id: user, name, hash: hashOf(tokens.acp_token), kind: 'device', device_id: device },
      ...{ created_at: now.toISOString(), expires_at: tokens.expires_at },
      ...{ last_used_at: null, revoked_at: null },
    })
    .execute()
}

/** The device that this refresh token was once given to; null if this hub has not signed it. */
function signedFor(secret: Secret, refreshToken: string): string | null {
  const [, begin, device, signature] = /^(fhf_(dev_[^.]+)\.[^.]+)\.([^.]+)$/.exec(refreshToken) ?? []
  return begin && device && signature && secret.matches(signature, signedAs, begin) ? device : null
}

/**
 * The device whose refresh token this is, or once was. The present one is also found by its hash alone: it goes on when the hub has a
 * new secret.
 */
async function deviceOfRefreshToken(trx: Db, hash: string, signedFor: string | null) {
  return await trx
    .selectFrom('acp_devices')
    .selectAll()
    .where(({ eb, or }) => or([eb('refresh_token_hash', '=', hash), eb('id', '=', signedFor ?? '')]))
    .executeTakeFirst()
}

async function isTokenUsed(trx: Db, token: string): Promise<boolean> {
  const row = await trx.selectFrom('tokens').select('last_used_at').where('id', '=', token).executeTakeFirst()
  return row === undefined || row.last_used_at !== null
}

async function revokeToken(trx: Db, token: string, now: Date): Promise<void> {
  await trx.updateTable('tokens').set({ revoked_at: now.toISOString() }).where('id', '=', token).execute()
}

/** Gives the `acp_token`s of before a day. Sessions that were begun from the device are not touched. */
async function endSoon(trx: Db, device: string, now: Date): Promise<void> {
  const soon = new Date(now.getTime() + previousTokenMs).toISOString()
  await trx
    .updateTable('tokens')
    .set({ expires_at: soon })
    .where('device_id', '=', device)
    .where('kind', '=', 'device')
    .where('expires_at', '>', soon)
    .execute()
}

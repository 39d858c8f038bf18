import { Fault } from '@farhand/protocol/wire/faults'
import type { DeviceId, UserId } from '@farhand/protocol/wire/ids'
import type { Db } from '../store/tables.ts'

/** Each new link of a folder is another device, so users may have hundreds, but not this many. */
const mostPerUser = 5000

/** The user of a request, and the bound device whose token it has; null if it has another kind of token. */
export type Caller = { user: UserId; device: DeviceId | null }

/**
 * Whether a request of this caller counts as one of the device that it names (W75). `unclaimed`: it does after `claimDevice`. Throws if
 * it may not name that device.
 */
export async function standingOf(
  db: Db,
  { user, device }: Caller,
  named: DeviceId,
): Promise<'own' | 'unclaimed'> {
  const bound = await boundDevice(db, named)
  if (bound) {
    if (bound.user_id !== user) throw refused('belongs to another user of this hub')
    if (bound.is_active === 0) throw refused('is that of a device that was revoked')
    if (device !== null && device !== named) throw refused('is that of another of your devices')
    return 'own'
  }
  const folder = await db
    .selectFrom('devices')
    .select(['user_id', 'bound_to'])
    .where('id', '=', named)
    .executeTakeFirst()
  if (!folder) return 'unclaimed'
  if (folder.user_id !== user) throw refused('belongs to another user of this hub')
  if (device === null || folder.bound_to === device) return 'own'
  // The folder was linked before this computer was bound, or before it was bound again.
  if (folder.bound_to === null || (await boundDevice(db, folder.bound_to))?.is_active !== 1)
    return 'unclaimed'
  throw refused('is that of a folder on another of your devices')
}

/** Claims the id of a linked folder for this caller, who is the first to write with it. If several try at once, one gets it. */
export async function claimDevice(db: Db, caller: Caller, named: DeviceId, now: Date): Promise<void> {
  const { user, device } = caller
  const { devices } = await db
    .selectFrom('devices')
    .select(({ fn }) => fn.countAll<number | string>().as('devices'))
    .where('user_id', '=', user)
    .where('id', '!=', named)
    .executeTakeFirstOrThrow()
  if (Number(devices) >= mostPerUser)
    throw new Fault(
      'device.refused',
      `you have ${mostPerUser} devices at this hub, and no more are taken; write as one of these`,
      { field: 'device-id' },
    )
  await db
    .insertInto('devices')
    .values({ id: named, user_id: user, created_at: now.toISOString(), bound_to: device })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  if (device !== null) await adopt(db, user, named, device)
  if ((await standingOf(db, caller, named)) === 'unclaimed') throw refused('was claimed at the same moment')
}

/** A folder of no bound device, or of one that was revoked, is now one of this device. */
async function adopt(db: Db, user: UserId, named: DeviceId, device: DeviceId): Promise<void> {
  const active = db.selectFrom('acp_devices').select('id').where('is_active', '=', 1)
  await db
    .updateTable('devices')
    .set({ bound_to: device })
    .where('id', '=', named)
    .where('user_id', '=', user)
    .where(({ eb, or }) => or([eb('bound_to', 'is', null), eb('bound_to', 'not in', active)]))
    .execute()
}

async function boundDevice(db: Db, id: string) {
  return await db
    .selectFrom('acp_devices')
    .select(['user_id', 'is_active'])
    .where('id', '=', id)
    .executeTakeFirst()
}

const refused = (why: string) =>
  new Fault(
    'device.refused',
    `this Device-Id ${why}; use another one (a folder gets one when it is linked again)`,
    { field: 'device-id' },
  )

import { Fault } from '@farhand/protocol/wire/faults'
import type { DeviceId, UserId } from '@farhand/protocol/wire/ids'
import type { Db } from '../store/tables.ts'

/** Each new link of a folder is another device, so users may have hundreds, but not this many. */
const mostPerUser = 5000

/** Whether this device is the user's; false if no user has written with it yet. Throws if it belongs to another user. */
export async function isDeviceOf(db: Db, user: UserId, device: DeviceId): Promise<boolean> {
  const row = await db.selectFrom('devices').select('user_id').where('id', '=', device).executeTakeFirst()
  if (row && row.user_id !== user)
    throw new Fault(
      'device.refused',
      'this Device-Id belongs to another user of this hub; use another one (a folder gets one when it is linked again)',
      { field: 'device-id' },
    )
  return row !== undefined
}

/** Assigns a device to this user, who is the first to write with it. If several try at once, one gets it. */
export async function claimDevice(db: Db, user: UserId, device: DeviceId, now: Date): Promise<void> {
  const { devices } = await db
    .selectFrom('devices')
    .select(({ fn }) => fn.countAll<number | string>().as('devices'))
    .where('user_id', '=', user)
    .executeTakeFirstOrThrow()
  if (Number(devices) >= mostPerUser)
    throw new Fault(
      'device.refused',
      `you have ${mostPerUser} devices at this hub, and no more are taken; write as one of these`,
      { field: 'device-id' },
    )
  await db
    .insertInto('devices')
    .values({ id: device, user_id: user, created_at: now.toISOString() })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  await isDeviceOf(db, user, device)
}

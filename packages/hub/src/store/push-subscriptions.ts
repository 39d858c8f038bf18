import { createHash } from 'node:crypto'
import type { NewPushSubscription } from '@farhand/protocol/schemas/push'
import type { UserId } from '@farhand/protocol/wire/ids'
import { getsNotifications } from './good-tokens.ts'
import type { Db } from './tables.ts'

export type PushSubscription = NewPushSubscription & { id: string }

/** With more browsers than this, the oldest subscription is deleted. */
const perUser = 50

/** Stores the push subscription of a browser. The same endpoint replaces the earlier one, also of another user. */
export async function addPushSubscription(
  db: Db,
  of: { user: UserId; tokenId: string },
  { endpoint, keys }: NewPushSubscription,
  now: Date,
): Promise<string> {
  const id = createHash('sha256').update(endpoint).digest('hex').slice(0, 32)
  const said = { user_id: of.user, token_id: of.tokenId, endpoint, ...keys, created_at: now.toISOString() }
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('push_subscriptions')
      .values({ id, ...said })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(said))
      .execute()
    const excess = await trx
      .selectFrom('push_subscriptions')
      .select('id')
      .where('user_id', '=', of.user)
      .orderBy('created_at', 'desc')
      .limit(1000)
      .offset(perUser)
      .execute()
    for (const { id } of excess) await removePushSubscription(trx, of.user, id)
  })
  return id
}

/** The push subscriptions of a user's browsers that were not signed out, and were used in the last 90 days. */
export async function pushSubscriptionsOf(
  db: Db,
  user: UserId,
  now = new Date(),
): Promise<PushSubscription[]> {
  const rows = await db
    .selectFrom('push_subscriptions')
    .innerJoin('tokens', 'tokens.id', 'push_subscriptions.token_id')
    .select(['push_subscriptions.id', 'endpoint', 'p256dh', 'auth'])
    .where('push_subscriptions.user_id', '=', user)
    .where(getsNotifications(now))
    .execute()
  return rows.map(({ id, endpoint, p256dh, auth }) => ({ id, endpoint, keys: { p256dh, auth } }))
}

export async function removePushSubscription(db: Db, user: UserId, id: string): Promise<void> {
  await db.deleteFrom('push_subscriptions').where('id', '=', id).where('user_id', '=', user).execute()
}

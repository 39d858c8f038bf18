import { createHash } from 'node:crypto'
import type { NewPushSubscription } from '@farhand/protocol/schemas/push'
import type { UserId } from '@farhand/protocol/wire/ids'
import type { Kysely } from 'kysely'
import { isGoodToken } from './good-tokens.ts'
import type { Tables } from './tables.ts'

export type PushSubscription = NewPushSubscription & { id: string }

/** The oldest of more than these is forgotten: nobody has so many browsers. */
const perUser = 50

/** Keeps where a browser is told. The same endpoint again takes the place of the one before, whoever had it. */
export async function addPushSubscription(
  db: Kysely<Tables>,
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

/** Where a user is told: only browsers that are still signed in. */
export async function pushSubscriptionsOf(
  db: Kysely<Tables>,
  user: UserId,
  now = new Date(),
): Promise<PushSubscription[]> {
  const rows = await db
    .selectFrom('push_subscriptions')
    .innerJoin('tokens', 'tokens.id', 'push_subscriptions.token_id')
    .select(['push_subscriptions.id', 'endpoint', 'p256dh', 'auth'])
    .where('push_subscriptions.user_id', '=', user)
    .where(isGoodToken(now))
    .execute()
  return rows.map(({ id, endpoint, p256dh, auth }) => ({ id, endpoint, keys: { p256dh, auth } }))
}

export async function removePushSubscription(db: Kysely<Tables>, user: UserId, id: string): Promise<void> {
  await db.deleteFrom('push_subscriptions').where('id', '=', id).where('user_id', '=', user).execute()
}

import { createHash } from 'node:crypto'
import { Fault } from '@farhand/protocol/wire/faults'
import type { UserId } from '@farhand/protocol/wire/ids'
import type { Transaction } from 'kysely'
import type { Db, Tables } from './tables.ts'

/** A creating request: its user, its key (if any), its route and its body. */
export type CreatingCall = { user: UserId; key?: string | undefined; route: string; body: unknown }

/**
 * Creates something once per key (W9): the same key with the same route and body gives the first answer again,
 * with any other it throws `key.reused`. The answer must be plain JSON. `create` must use the transaction it is
 * given and nothing else of the store, or it waits for itself.
 */
export async function once<Answer>(
  db: Db,
  call: CreatingCall,
  create: (trx: Transaction<Tables>) => Promise<Answer>,
): Promise<Answer> {
  const { user, key, route } = call
  if (key === undefined) return db.transaction().execute(create)

  const digest = createHash('sha256')
    .update(JSON.stringify(call.body ?? null))
    .digest('hex')
  return db.transaction().execute(async (trx) => {
    // Taking the key first is what makes a second caller wait for the first one's commit.
    const taken = await trx
      .insertInto('idempotency')
      .values({
        user_id: user,
        key,
        route,
        body_digest: digest,
        answer: null,
        created_at: new Date().toISOString(),
      })
      .onConflict((conflict) => conflict.columns(['user_id', 'key']).doNothing())
      .returning('key')
      .executeTakeFirst()
    const ours = trx.selectFrom('idempotency').where('user_id', '=', user).where('key', '=', key)

    if (!taken) {
      const before = await ours.select(['route', 'body_digest', 'answer']).executeTakeFirstOrThrow()
      if (before.route === route && before.body_digest === digest) return JSON.parse(before.answer!) as Answer
      throw new Fault('key.reused', `Idempotency-Key ${key} was used for another request: take a new key`)
    }

    const answer = await create(trx)
    await trx
      .updateTable('idempotency')
      .set({ answer: JSON.stringify(answer) })
      .where('user_id', '=', user)
      .where('key', '=', key)
      .execute()
    return answer
  })
}

/** Whether this user used this key before, for any request: `once` then creates nothing. */
export async function isKeyUsed(db: Db, { user, key }: CreatingCall): Promise<boolean> {
  if (key === undefined) return false
  const query = db.selectFrom('idempotency').select('key').where('user_id', '=', user).where('key', '=', key)
  return (await query.executeTakeFirst()) !== undefined
}

const keysPerQuery = 1000

/** Deletes the keys first used before `before` and returns how many. A request repeated with such a key is executed again. */
export async function forgetKeys(db: Db, before: Date, signal?: AbortSignal): Promise<number> {
  for (let forgotten = 0; ; ) {
    const { numDeletedRows } = await db
      .deleteFrom('idempotency')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('user_id', 'key'),
          'in',
          selectFrom('idempotency as old')
            .select(['old.user_id', 'old.key'])
            .where('old.created_at', '<', before.toISOString())
            .limit(keysPerQuery)
            .$asTuple('user_id', 'key'),
        ),
      )
      .executeTakeFirst()
    forgotten += Number(numDeletedRows)
    if (numDeletedRows < keysPerQuery || signal?.aborted) return forgotten
    // Deleting blocks the process: other work gets its turn in between.
    await new Promise(setImmediate)
  }
}

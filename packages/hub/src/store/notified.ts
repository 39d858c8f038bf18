import type { RunId } from '@farhand/protocol/wire/ids'
import type { Notified } from '@farhand/story/notifications/news-between'
import type { Db } from './tables.ts'

/** What the owner of a run has been notified of; null if of nothing. */
export async function notifiedOf(db: Db, run: RunId): Promise<Notified | null> {
  const row = await db.selectFrom('told').selectAll().where('run_id', '=', run).executeTakeFirst()
  return row ? { question: row.question, turns: row.turns, hasFailed: row.has_failed === 1 } : null
}

export async function noteNotified(db: Db, run: RunId, told: Notified): Promise<void> {
  const said = { question: told.question, turns: told.turns, has_failed: told.hasFailed ? 1 : 0 } as const
  await db
    .insertInto('told')
    .values({ run_id: run, ...said })
    .onConflict((conflict) => conflict.column('run_id').doUpdateSet(said))
    .execute()
}

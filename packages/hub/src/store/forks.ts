import type { RunId } from '@farhand/protocol/wire/ids'
import type { Db } from './tables.ts'

/** Records that a log is being made for a run that does not exist yet. */
export async function noteFork(db: Db, run: RunId): Promise<void> {
  await db.insertInto('forks_under_way').values({ run_id: run }).execute()
}

/** Removes that record; in the same transaction that creates the run. */
export async function forgetFork(db: Db, run: RunId): Promise<void> {
  await db.deleteFrom('forks_under_way').where('run_id', '=', run).execute()
}

/** The forks that were begun and are no runs yet. When the hub has just started, an earlier hub left them behind. */
export async function forksUnderWay(db: Db): Promise<RunId[]> {
  const rows = await db
    .selectFrom('forks_under_way')
    .select('run_id')
    .where('run_id', 'not in', (eb) => eb.selectFrom('runs').select('id'))
    .execute()
  return rows.map(({ run_id }) => run_id)
}

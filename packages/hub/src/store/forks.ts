import type { RunId } from '@farhand/protocol/wire/ids'
import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** Notes that a log is begun for a run that is not there yet. */
export async function noteFork(db: Kysely<Tables>, run: RunId): Promise<void> {
  await db.insertInto('forks_under_way').values({ run_id: run }).execute()
}

/** With the transaction that makes the run, it is either noted or there. */
export async function forgetFork(db: Kysely<Tables>, run: RunId): Promise<void> {
  await db.deleteFrom('forks_under_way').where('run_id', '=', run).execute()
}

/** Those that were begun and are no runs: of a hub that just started, what the one before left behind. */
export async function forksUnderWay(db: Kysely<Tables>): Promise<RunId[]> {
  const rows = await db
    .selectFrom('forks_under_way')
    .select('run_id')
    .where('run_id', 'not in', (eb) => eb.selectFrom('runs').select('id'))
    .execute()
  return rows.map(({ run_id }) => run_id)
}

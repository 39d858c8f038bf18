import type { RunId } from '@farhand/protocol/wire/ids'
import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** What is noted of the sandbox of a run; `failures` is whatever its keeper makes of it. */
export type SandboxRow<Failures> = {
  run: RunId
  id: string | null
  host: string | null
  generation: number
  state: Tables['sandboxes']['state']
  since: number
  failures: Failures
}

/** Everything that is noted; asleep and closed runs have no row. */
export async function listSandboxes<Failures>(db: Kysely<Tables>): Promise<SandboxRow<Failures>[]> {
  const rows = await db.selectFrom('sandboxes').selectAll().orderBy('since').execute()
  return rows.map(({ run_id, since, failures, ...row }) => ({
    ...row,
    run: run_id,
    since: Date.parse(since),
    failures: JSON.parse(failures) as Failures,
  }))
}

/** Notes what is so now, in place of what was noted before. */
export async function noteSandbox<Failures>(
  db: Kysely<Tables>,
  { run, since, failures, ...row }: SandboxRow<Failures>,
): Promise<void> {
  const noted = { ...row, since: new Date(since).toISOString(), failures: JSON.stringify(failures) }
  await db
    .insertInto('sandboxes')
    .values({ run_id: run, ...noted })
    .onConflict((conflict) => conflict.column('run_id').doUpdateSet(noted))
    .execute()
}

export async function forgetSandbox(db: Kysely<Tables>, run: RunId): Promise<void> {
  await db.deleteFrom('sandboxes').where('run_id', '=', run).execute()
}

/** Every run that may be open, the oldest first: one that is to have no sandbox may have been moved to one. */
export async function runsToKeep(db: Kysely<Tables>): Promise<RunId[]> {
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where('is_open', '=', 1)
    .orderBy('created_at')
    .execute()
  return rows.map(({ id }) => id)
}

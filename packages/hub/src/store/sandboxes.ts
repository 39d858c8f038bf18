import type { RunId } from '@farhand/protocol/wire/ids'
import type { Db, Tables } from './tables.ts'

/** The stored state of a run's sandbox; the keeper defines the type of `failures`. */
export type SandboxRow<Failures> = {
  run: RunId
  id: string | null
  host: string | null
  generation: number
  state: Tables['sandboxes']['state']
  since: number
  failures: Failures
}

/** All rows; asleep and closed runs have none. */
export async function listSandboxes<Failures>(db: Db): Promise<SandboxRow<Failures>[]> {
  const rows = await db.selectFrom('sandboxes').selectAll().orderBy('since').execute()
  return rows.map(({ run_id, since, failures, ...row }) => ({
    ...row,
    run: run_id,
    since: Date.parse(since),
    failures: JSON.parse(failures) as Failures,
  }))
}

/** Writes the row of a run, replacing the earlier one. */
export async function noteSandbox<Failures>(
  db: Db,
  { run, since, failures, ...row }: SandboxRow<Failures>,
): Promise<void> {
  const noted = { ...row, since: new Date(since).toISOString(), failures: JSON.stringify(failures) }
  await db
    .insertInto('sandboxes')
    .values({ run_id: run, ...noted })
    .onConflict((conflict) => conflict.column('run_id').doUpdateSet(noted))
    .execute()
}

export async function forgetSandbox(db: Db, run: RunId): Promise<void> {
  await db.deleteFrom('sandboxes').where('run_id', '=', run).execute()
}

/** Every run that may be open, the oldest first. Runs on devices are included, as they may have been moved to a sandbox. */
export async function runsToKeep(db: Db): Promise<RunId[]> {
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where('is_open', '=', 1)
    .orderBy('created_at')
    .execute()
  return rows.map(({ id }) => id)
}

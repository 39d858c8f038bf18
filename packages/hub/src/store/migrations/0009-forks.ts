import type { Kysely } from 'kysely'

/** Which run, up to which of its events, the log of a run begins with; both are null for one that is no fork. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('runs').addColumn('fork_run', 'text').execute()
  await db.schema.alterTable('runs').addColumn('fork_event', 'integer').execute()
}

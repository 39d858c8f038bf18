import type { Kysely } from 'kysely'

/**
 * When something was last done in a run, so that lists can begin with the run that was active last. Of those that were made
 * before, a hub finds out when it starts; until then they come last.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('runs')
    .addColumn('active_at', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await db.schema
    .createIndex('active_runs_of_owner')
    .on('runs')
    .columns(['owner_id', 'active_at', 'id'])
    .execute()
}

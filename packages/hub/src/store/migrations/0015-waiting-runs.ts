import type { Kysely } from 'kysely'

/**
 * Which runs may wait for a person, so that these are found without a look at all that are open. It is only a hint: those
 * that were made before count as waiting until the hub has checked.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('runs')
    .addColumn('may_wait', 'integer', (column) => column.notNull().defaultTo(1))
    .execute()
  await db.schema
    .createIndex('waiting_runs_of_owner')
    .on('runs')
    .columns(['owner_id', 'may_wait', 'is_open', 'owner_nth', 'id'])
    .execute()
}

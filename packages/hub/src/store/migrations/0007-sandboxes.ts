import type { Kysely } from 'kysely'

/** What the hub has begun for a run in the way of a sandbox, and what went wrong with those before it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sandboxes')
    .addColumn('run_id', 'text', (column) => column.primaryKey().references('runs.id'))
    .addColumn('id', 'text')
    .addColumn('host', 'text')
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('since', 'text', (column) => column.notNull())
    .addColumn('failures', 'text', (column) => column.notNull())
    .execute()
}

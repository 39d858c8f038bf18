import type { Kysely } from 'kysely'

/** Which blob holds what a setup command has made. How long it is kept is a matter of the blob alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('setup_caches')
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('paths', 'text', (column) => column.notNull())
    .addColumn('tree', 'text')
    .addColumn('made_by', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('setup_caches_key', ['project_id', 'key'])
    .execute()
}

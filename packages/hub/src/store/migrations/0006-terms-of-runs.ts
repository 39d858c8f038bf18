import type { Kysely } from 'kysely'

/** What the sandboxes of a run are like; runs that were made before have said nothing of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('runs')
    .addColumn('terms', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute()
}

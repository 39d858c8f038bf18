import type { Kysely } from 'kysely'

/** Runs whose logs are begun and that are not there yet: what is left of them after a crash is nobody's. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('forks_under_way')
    .addColumn('run_id', 'text', (column) => column.primaryKey())
    .execute()
}

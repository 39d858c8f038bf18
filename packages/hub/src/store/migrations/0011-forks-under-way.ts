import type { Kysely } from 'kysely'

/** Forks whose logs are being made and whose runs do not exist yet; after a crash the hub removes their logs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('forks_under_way')
    .addColumn('run_id', 'text', (column) => column.primaryKey())
    .execute()
}

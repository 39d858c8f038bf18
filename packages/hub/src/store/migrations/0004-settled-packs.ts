import type { Kysely } from 'kysely'

/** Rows of packed blobs are written a little after the blobs: this says how far they are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('settled_packs')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('segment', 'integer', (column) => column.notNull())
    .addColumn('start', 'bigint', (column) => column.notNull())
    .execute()
}

import type { Kysely } from 'kysely'

/** Up to where each web hook has been told; null: it was asked for before any was called, and begins with what comes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('callbacks').addColumn('sent_to', 'integer').execute()
}

import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('idempotency_by_age').on('idempotency').column('created_at').execute()
}

import type { Kysely } from 'kysely'

/** Whose devices are whose: an id belongs to the first user who wrote with it. Those from before are noted when they write again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('devices')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('devices_of_user').on('devices').column('user_id').execute()
}

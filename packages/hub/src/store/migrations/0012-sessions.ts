import type { Kysely } from 'kysely'

/** Browsers have tokens of their own, which are told apart and taken away one by one; codes are what they get them for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('tokens')
    .addColumn('kind', 'text', (column) => column.notNull().defaultTo('token'))
    .execute()
  await db.schema
    .createTable('sign_in_codes')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('until', 'text', (column) => column.notNull())
    .execute()
}

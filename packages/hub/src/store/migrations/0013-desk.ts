import type { Kysely } from 'kysely'

/** What people say of their runs, where they are told of them, and what they have been told. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('runs').addColumn('title', 'text').execute()
  await db.schema
    .alterTable('runs')
    .addColumn('is_archived', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable('runs')
    .addColumn('is_muted', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('push_subscriptions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('token_id', 'text', (column) => column.notNull().references('tokens.id'))
    .addColumn('endpoint', 'text', (column) => column.notNull())
    .addColumn('p256dh', 'text', (column) => column.notNull())
    .addColumn('auth', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('push_subscriptions_of_user')
    .on('push_subscriptions')
    .columns(['user_id', 'created_at'])
    .execute()
  await db.schema
    .createTable('told')
    .addColumn('run_id', 'text', (column) => column.primaryKey().references('runs.id'))
    .addColumn('question', 'integer', (column) => column.notNull())
    .addColumn('turns', 'integer', (column) => column.notNull())
    .addColumn('has_failed', 'integer', (column) => column.notNull())
    .execute()
}

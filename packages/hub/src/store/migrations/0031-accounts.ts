import { type Kysely, sql } from 'kysely'

type Before = { tokens: { id: string; kind: string; last_used_at: string | null; expires_at: string | null } }

const dayMs = 24 * 3600_000

/**
 * Passwords, bound devices with their tokens, and an end for every kind of token. A session that exists has the 90 days that it was
 * given; with its next use it gets the time that the hub is set to.
 */
export async function up(db: Kysely<Before>): Promise<void> {
  await db.schema
    .createTable('passwords')
    .addColumn('user_id', 'text', (column) => column.primaryKey().references('users.id'))
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('acp_devices')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('device_name', 'text', (column) => column.notNull())
    .addColumn('refresh_token_hash', 'text', (column) => column.notNull())
    .addColumn('previous_hash', 'text')
    .addColumn('token_id', 'text', (column) => column.notNull())
    .addColumn('is_active', 'integer', (column) => column.notNull().defaultTo(sql`1`))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('last_seen_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('acp_devices_of_user').on('acp_devices').column('user_id').execute()
  await db.schema
    .createIndex('acp_devices_by_refresh')
    .unique()
    .on('acp_devices')
    .column('refresh_token_hash')
    .execute()
  await db.schema
    .createTable('acp_codes')
    .addColumn('device_code_hash', 'text', (column) => column.primaryKey())
    .addColumn('user_code_hash', 'text', (column) => column.notNull().unique())
    .addColumn('device_name', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('until', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('polled_at', 'text')
    .execute()
  await db.schema.alterTable('tokens').addColumn('expires_at', 'text').execute()
  await db.schema.alterTable('tokens').addColumn('device_id', 'text').execute()
  await db.schema.createIndex('tokens_of_device').on('tokens').column('device_id').execute()
  await db.schema.alterTable('tokens').addColumn('begun_by', 'text').execute()
  await db.schema.alterTable('sign_in_codes').addColumn('device_id', 'text').execute()
  await db.schema.alterTable('sign_in_codes').addColumn('token_id', 'text').execute()
  await db.schema
    .alterTable('sign_in_codes')
    .addColumn('is_of_machine', 'integer', (column) => column.notNull().defaultTo(sql`0`))
    .execute()
  await db.schema.alterTable('devices').addColumn('bound_to', 'text').execute()
  const sessions = await db
    .selectFrom('tokens')
    .select(['id', 'last_used_at'])
    .where('kind', '=', 'session')
    .execute()
  for (const { id, last_used_at } of sessions) {
    const until = new Date(Date.parse(last_used_at ?? '') + 90 * dayMs)
    const expires_at = Number.isNaN(until.getTime()) ? '' : until.toISOString()
    await db.updateTable('tokens').set({ expires_at }).where('id', '=', id).execute()
  }
}

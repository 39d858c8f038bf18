import type { Kysely } from 'kysely'

/** Requests that a device of the user or a sandbox answers, and the states that each of them had. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('acp_requests')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('run_id', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('message_digest', 'text', (column) => column.notNull())
    .addColumn('message_event', 'integer')
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('states', 'text', (column) => column.notNull())
    .addColumn('decided', 'text', (column) => column.notNull())
    .addColumn('device_id', 'text')
    .addColumn('origin_devices', 'text', (column) => column.notNull())
    .addColumn('needs_device', 'integer', (column) => column.notNull())
    .addColumn('part_of', 'text')
    .addColumn('notice', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('owes_withdrawal', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createIndex('acp_requests_of_user')
    .on('acp_requests')
    .columns(['user_id', 'created_at', 'id'])
    .execute()
  await db.schema.createIndex('acp_requests_by_state').on('acp_requests').columns(['state']).execute()
  await db.schema.createIndex('acp_requests_of_run').on('acp_requests').columns(['run_id']).execute()
  await db.schema.createIndex('acp_requests_owing').on('acp_requests').columns(['owes_withdrawal']).execute()
  // One answer offers one request, also if the hub is killed after it has offered it.
  await db.schema.createIndex('acp_requests_offered').unique().on('acp_requests').column('part_of').execute()
}

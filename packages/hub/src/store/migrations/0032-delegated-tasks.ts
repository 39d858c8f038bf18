import type { Kysely } from 'kysely'

/** Tasks that programs delegate: the run of each, and what came of it; and which projects the hub itself has made for its users. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('acp_tasks')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('nth', 'integer', (column) => column.notNull())
    .addColumn('device_id', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('task_description', 'text', (column) => column.notNull())
    .addColumn('context', 'text')
    .addColumn('conversation_id', 'text')
    .addColumn('session_id', 'text', (column) => column.notNull().unique().references('runs.id'))
    .addColumn('result_summary', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('completed_at', 'text')
    .execute()
  await db.schema.createIndex('acp_tasks_of_user').on('acp_tasks').columns(['user_id', 'nth', 'id']).execute()
  await db.schema
    .createIndex('acp_tasks_of_conversation')
    .on('acp_tasks')
    .columns(['user_id', 'conversation_id', 'nth'])
    .execute()
  await db.schema.alterTable('projects').addColumn('made_for', 'text').execute()
  await db.schema
    .createIndex('projects_made_for')
    .unique()
    .on('projects')
    .columns(['owner_id', 'made_for'])
    .execute()
}

import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'text')
    .addColumn('revoked_at', 'text')
    .execute()
  await db.schema.createIndex('tokens_of_user').on('tokens').column('user_id').execute()

  await db.schema
    .createTable('projects')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('nth', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('projects_of_owner').on('projects').columns(['owner_id', 'nth', 'id']).execute()

  await db.schema
    .createTable('tasks')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('nth', 'integer', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('prompt', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('tasks_of_project').on('tasks').columns(['project_id', 'nth', 'id']).execute()

  await db.schema
    .createTable('runs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('task_id', 'text', (column) => column.notNull().references('tasks.id'))
    .addColumn('nth', 'integer', (column) => column.notNull())
    .addColumn('agent', 'text')
    .addColumn('mode', 'text', (column) => column.notNull())
    .addColumn('sandbox', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('close_requested_at', 'text')
    .execute()
  await db.schema.createIndex('runs_of_task').on('runs').columns(['task_id', 'nth', 'id']).execute()
  await db.schema
    .createIndex('runs_to_close')
    .on('runs')
    .column('close_requested_at')
    .where(sql.ref('close_requested_at'), 'is not', null)
    .execute()

  await db.schema
    .createTable('callbacks')
    .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id'))
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('events', 'text', (column) => column.notNull())
    .addColumn('secret', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('callbacks_once', ['run_id', 'url'])
    .execute()

  await db.schema
    .createTable('blobs')
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'text', (column) => column.notNull())
    .addColumn('kept', 'integer', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('blobs_once', ['project_id', 'hash'])
    .execute()
  await db.schema.createIndex('blobs_by_hash').on('blobs').column('hash').execute()
  await db.schema.createIndex('blobs_by_use').on('blobs').columns(['kept', 'used_at', 'project_id']).execute()

  await db.schema
    .createTable('idempotency')
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('route', 'text', (column) => column.notNull())
    .addColumn('body_digest', 'text', (column) => column.notNull())
    .addColumn('answer', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_once', ['user_id', 'key'])
    .execute()
}

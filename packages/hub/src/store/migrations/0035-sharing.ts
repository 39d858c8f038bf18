import type { Kysely } from 'kysely'

/** Projects that several users share. All runs of before were started by the owner of their project, as no other user could. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('projects')
    .addColumn('is_shared', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('project_members')
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('project_members_key', ['project_id', 'user_id'])
    .execute()
  await db.schema
    .createIndex('projects_of_member')
    .on('project_members')
    .columns(['user_id', 'project_id'])
    .execute()
  await db.schema
    .createTable('project_invitations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('uses_left', 'integer', (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('invitations_of_project')
    .on('project_invitations')
    .columns(['project_id', 'created_at'])
    .execute()
  await db.schema
    .createTable('run_links')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_by', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'text')
    .execute()
  await db.schema.createIndex('links_of_run').on('run_links').columns(['run_id', 'created_at']).execute()
  await db.schema
    .createTable('run_preferences')
    .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('is_archived', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('is_muted', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('seen_event', 'integer')
    .addColumn('seen_active_at', 'text')
    .addPrimaryKeyConstraint('run_preferences_key', ['run_id', 'user_id'])
    .execute()
}

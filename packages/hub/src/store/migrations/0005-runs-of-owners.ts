import { type Kysely, sql } from 'kysely'

/**
 * Runs are counted for their owners too, so that the newest of all of them are found without a look at each task.
 * Whether one is open is only a hint: those that were made before count as open until the hub has checked.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('runs').addColumn('owner_id', 'text').execute()
  await db.schema.alterTable('runs').addColumn('owner_nth', 'integer').execute()
  await db.schema
    .alterTable('runs')
    .addColumn('is_open', 'integer', (column) => column.notNull().defaultTo(1))
    .execute()
  await sql`update runs set owner_id = counted.owner_id, owner_nth = counted.nth
    from (
      select runs.id, projects.owner_id, row_number() over (
        partition by projects.owner_id
        order by runs.created_at, projects.nth, tasks.nth, runs.nth, runs.id
      ) as nth
      from runs
      join tasks on tasks.id = runs.task_id
      join projects on projects.id = tasks.project_id
    ) as counted
    where counted.id = runs.id`.execute(db)
  await db.schema.createIndex('runs_of_owner').on('runs').columns(['owner_id', 'owner_nth', 'id']).execute()
  await db.schema
    .createIndex('open_runs_of_owner')
    .on('runs')
    .columns(['owner_id', 'is_open', 'owner_nth', 'id'])
    .execute()
}

import type { NewTask, Task } from '@farhand/protocol/schemas/api'
import { newId, type ProjectId, TaskId } from '@farhand/protocol/wire/ids'
import type { Selectable } from 'kysely'
import { newestOf, type Page, type Paged, readPage } from './page.ts'
import type { Db, Tables } from './tables.ts'

export async function createTask(db: Db, project: ProjectId, body: NewTask, now: Date): Promise<Task> {
  const row = await db
    .insertInto('tasks')
    .values(({ selectFrom, fn, lit }) => ({
      id: newId(TaskId, 'tsk'),
      project_id: project,
      nth: selectFrom('tasks')
        .where('project_id', '=', project)
        .select(({ eb }) => eb(fn.coalesce(fn.max('nth'), lit(0)), '+', 1).as('nth')),
      title: body.title,
      prompt: body.prompt ?? null,
      created_at: now.toISOString(),
    }))
    .returningAll()
    .executeTakeFirstOrThrow()
  return task(row)
}

/** A task under the wrong project does not exist (W2). */
export async function findTask(db: Db, project: ProjectId, id: TaskId): Promise<Task | null> {
  const row = await db
    .selectFrom('tasks')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', project)
    .executeTakeFirst()
  return row ? task(row) : null
}

/** The tasks of a project, newest first. */
export async function listTasks(db: Db, project: ProjectId, page: Page): Promise<Paged<Task>> {
  const query = db.selectFrom('tasks').selectAll().where('project_id', '=', project)
  return readPage(query, newestOf('tasks'), page, task)
}

function task(row: Selectable<Tables['tasks']>): Task {
  return {
    id: row.id,
    project: row.project_id,
    title: row.title,
    prompt: row.prompt,
    createdAt: row.created_at,
  }
}

import type {
  DelegatedStatus,
  DelegatedTask,
  NewDelegatedTask,
} from '@farhand/protocol/delegated/delegated-tasks'
import type { Run } from '@farhand/protocol/schemas/api'
import { plainLine, shortened } from '@farhand/protocol/text/plain-text'
import { DelegatedTaskId, type DeviceId, newId, type RunId, type UserId } from '@farhand/protocol/wire/ids'
import { newestOf, type Page, type Paged, readPage } from '../store/page.ts'
import { hubProject } from '../store/projects.ts'
import { createRun } from '../store/runs.ts'
import type { Db } from '../store/tables.ts'
import { createTask } from '../store/tasks.ts'

type Asked = Omit<NewDelegatedTask, 'agent'> & { agent: string | null }

/** A new delegated task with its run, in the state that it has before anything is in the log. */
export async function createDelegated(
  trx: Db,
  { user, device }: { user: UserId; device: DeviceId | null },
  asked: Asked,
  now: Date,
): Promise<DelegatedTask> {
  const { context = null, conversation_id = null, sandbox } = asked
  const at = await placeOf(trx, user, asked, now)
  const run = await createRun(
    trx,
    at,
    {
      mode: 'background',
      ...(asked.agent !== null && { agent: asked.agent }),
      ...(sandbox !== undefined && { sandbox }),
    },
    now,
  )
  const id = newId(DelegatedTaskId, 'acp')
  await trx
    .insertInto('acp_tasks')
    .values(({ selectFrom, fn, lit }) => ({
      id,
      user_id: user,
      nth: selectFrom('acp_tasks')
        .where('user_id', '=', user)
        .select(({ eb }) => eb(fn.coalesce(fn.max('nth'), lit(0)), '+', 1).as('nth')),
      device_id: device,
      status: 'submitted',
      task_description: asked.task,
      context: context === null ? null : JSON.stringify(context),
      conversation_id,
      session_id: run.id,
      result_summary: null,
      created_at: now.toISOString(),
      completed_at: null,
    }))
    .execute()
  return (await findDelegated(trx, user, { id }))!
}

/** Tasks of one conversation are runs of one task of ours; every other one has a task of its own. */
async function placeOf(
  trx: Db,
  user: UserId,
  { task, conversation_id: conversation }: Pick<Asked, 'task' | 'conversation_id'>,
  now: Date,
): Promise<Pick<Run, 'project' | 'task'>> {
  const before = conversation
    ? await rows(trx)
        .where('acp_tasks.user_id', '=', user)
        .where('acp_tasks.conversation_id', '=', conversation)
        .orderBy('acp_tasks.nth', 'desc')
        .executeTakeFirst()
    : undefined
  if (before) return { project: before.project_id, task: before.task_id }
  const project = await hubProject(trx, user, 'delegated', now)
  const title = shortened(plainLine(task), 200) || 'Delegated'
  return { project, task: (await createTask(trx, project, { title, prompt: task }, now)).id }
}

/** A delegated task of this user, as the store has it. */
export async function findDelegated(
  db: Db,
  user: UserId,
  by: { id: DelegatedTaskId } | { run: RunId },
): Promise<DelegatedTask | null> {
  const [column, id] =
    'id' in by ? (['acp_tasks.id', by.id] as const) : (['acp_tasks.session_id', by.run] as const)
  const row = await rows(db).where('acp_tasks.user_id', '=', user).where(column, '=', id).executeTakeFirst()
  return row ? delegated(row) : null
}

/** The delegated tasks of a user, newest first, as the store has them. */
export async function listDelegated(
  db: Db,
  user: UserId,
  { conversation }: { conversation?: string | undefined },
  page: Page,
): Promise<Paged<DelegatedTask>> {
  const query = rows(db)
    .where('acp_tasks.user_id', '=', user)
    .$if(conversation !== undefined, (query) => query.where('acp_tasks.conversation_id', '=', conversation!))
  return readPage(query, newestOf('acp_tasks'), page, delegated)
}

/** What the log says of a task. */
export type Standing = { status: DelegatedStatus; result: string | null; endedAt: string | null }

/** Stores what the log says of a task, so that lists need not read the logs of those that are over. */
export async function noteStanding(db: Db, id: DelegatedTaskId, said: Standing): Promise<void> {
  await db
    .updateTable('acp_tasks')
    .set({ status: said.status, result_summary: said.result, completed_at: said.endedAt })
    .where('id', '=', id)
    .execute()
}

const rows = (db: Db) =>
  db
    .selectFrom('acp_tasks')
    .innerJoin('runs', 'runs.id', 'acp_tasks.session_id')
    .innerJoin('tasks', 'tasks.id', 'runs.task_id')
    .selectAll('acp_tasks')
    .select(['runs.agent', 'runs.task_id', 'tasks.project_id'])

type Row = Awaited<ReturnType<ReturnType<typeof rows>['executeTakeFirstOrThrow']>>

const delegated = (row: Row): DelegatedTask => ({
  task_id: row.id,
  status: row.status,
  task: row.task_description,
  context: row.context === null ? null : JSON.parse(row.context),
  conversation_id: row.conversation_id,
  session_id: row.session_id,
  run: { project: row.project_id, task: row.task_id, run: row.session_id },
  device_id: row.device_id,
  agent: row.agent,
  result_summary: row.result_summary,
  created_at: row.created_at,
  completed_at: row.completed_at,
})

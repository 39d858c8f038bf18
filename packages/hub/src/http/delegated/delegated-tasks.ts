import { type DelegatedTask, NewDelegatedTask } from '@farhand/protocol/delegated/delegated-tasks'
import { DelegatedTasksQuery } from '@farhand/protocol/endpoints/delegated-tasks'
import { Fault } from '@farhand/protocol/wire/faults'
import { DeviceId } from '@farhand/protocol/wire/ids'
import { limits } from '@farhand/protocol/wire/limits'
import type { Story } from '@farhand/story/items/story'
import { agentFor, firstBatches } from '../../collab/begin-task.ts'
import { createDelegated, listDelegated } from '../../collab/delegated-tasks.ts'
import { taskSnapshot } from '../../collab/task-snapshot.ts'
import { isKeyUsed, once } from '../../store/idempotency.ts'
import { readJson } from '../exchange/body.ts'
import { answerJson, type Exchange, header, parse, userOf, wholeNumber } from '../exchange/exchange.ts'
import { tokenOf } from '../exchange/token-cookie.ts'
import { refuseForbiddenTerms } from '../handlers/refuse-terms.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { takesStream } from '../streams/read-stream-form.ts'
import { type TaskCursor, TaskStream } from '../streams/task-stream.ts'
import { checkWritable, readKey } from '../sync-body/read-notifications.ts'
import { mostTaskBytes, storyOf, taskOf } from './delegated-task.ts'

/** A reader that is further behind than this gets a snapshot in place of what it missed (W86). */
const mostBehind = 1000

/** `POST /acp/tasks` (W80). */
export async function postDelegated(parts: HubParts, { req, res, who }: Exchange): Promise<void> {
  const { user, author, device: bound } = userOf(who)
  const said = await readJson(req, parts.config.bodyTimeoutMs, mostTaskBytes)
  checkWritable(said)
  const body = parse(NewDelegatedTask, said)
  const call = { user, key: readKey(req), route: 'delegated tasks', body }
  let agent: string | null = null
  // A repeated request must not fail because the hub has changed since the first one.
  if (!(await isKeyUsed(parts.db, call))) {
    agent = agentFor(await parts.agentsHere(user), body)
    await refuseForbiddenTerms(parts, { owner: user, sandbox: body.sandbox ?? null, terms: undefined })
  }
  const named = author.kind === 'device' ? (DeviceId.safeParse(author.id).data ?? null) : null
  const task = await once(parts.db, call, (trx) =>
    createDelegated(trx, { user, device: bound ?? named }, { ...body, agent }, new Date()),
  )
  // Each batch has its own key: when the caller repeats the request after a crash, only the missing ones are stored.
  for (const batch of firstBatches(task, author)) await parts.log.append(task.session_id, () => batch)
  parts.look(task.session_id)
  parts.runChanges.touched(task.session_id)
  answerJson(res, 201, task)
}

/** `GET /acp/tasks` (W81). */
export async function getDelegated(parts: HubParts, { res, query, who }: Exchange): Promise<void> {
  const { cursor, status, conversation_id } = parse(DelegatedTasksQuery, Object.fromEntries(query))
  const page = { cursor, limit: limits.pageSize }
  const found = await listDelegated(parts.db, userOf(who).user, { conversation: conversation_id }, page)
  const items: DelegatedTask[] = []
  for (const task of found.items) items.push(task.completed_at === null ? await asInLog(parts, task) : task)
  answerJson(res, 200, { ...found, items: items.filter((one) => !status || one.status === status) })
}

/** `GET /acp/tasks/{id}` (W81). */
export async function getOneDelegated(parts: HubParts, exchange: Exchange): Promise<void> {
  const task = await taskOf(parts, exchange)
  answerJson(exchange.res, 200, taskSnapshot(task, await storyOf(parts, task)))
}

/** `GET /acp/tasks/{id}/stream` (W85). */
export async function getDelegatedStream(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req, res, query } = exchange
  const task = await taskOf(parts, exchange)
  if (!takesStream(header(req, 'accept'))) {
    throw new Fault('request.not-acceptable', 'accept: this is a stream; ask for text/event-stream', {
      field: 'accept',
    })
  }
  const story = await parts.taskFolds.story(task.session_id)
  const cursor = cursorOf(readAfter(exchange), story)
  const snapshot = (story: Story) => ({ after: cursor.after, snapshot: taskSnapshot(task, story) })
  const { user } = userOf(exchange.who)
  parts.streams.checkRoomForTask(user)
  const stream = new TaskStream(res, { task: task.task_id, cursor, snapshot })
  parts.streams.addOfTask(stream, tokenOf(req)!, user)
  stream.reader = parts.readers.follow(task.session_id, 0, stream)

  function readAfter({ req }: Exchange): number {
    // A browser that connects again repeats the address and adds the header.
    const last = header(req, 'last-event-id')
    if (last !== undefined && last !== '') return wholeNumber(last, 'last-event-id')!
    return wholeNumber(query.get('last_seq'), 'last_seq') ?? 0
  }
}

function cursorOf(after: number, { lastId, task: { ended } }: Story): TaskCursor {
  if (after > lastId)
    throw new Fault('cursor.ahead', `the log of this task ends at ${lastId}; continue from there or before`, {
      current: lastId,
    })
  const end = ended?.seq ?? lastId
  return { after, gapTo: end - after > mostBehind ? end : null }
}

/** The task as its log has it now; if the log cannot be read, as the store has it. */
async function asInLog(parts: HubParts, task: DelegatedTask): Promise<DelegatedTask> {
  const story = await storyOf(parts, task).catch(() => null)
  if (!story) return task
  const { status, result, ended } = story.task
  return { ...task, status, result_summary: result, completed_at: ended?.at ?? null }
}

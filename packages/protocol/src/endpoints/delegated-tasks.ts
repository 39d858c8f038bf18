import { z } from 'zod'
import {
  DelegatedStatus,
  DelegatedTask,
  InputTaken,
  NewDelegatedTask,
  TaskFrame,
  TaskInput,
  TaskSnapshot,
  TaskStateChange,
} from '../delegated/delegated-tasks.ts'
import { pageOf } from '../schemas/api.ts'
import type { DelegatedTaskId, RunId } from '../wire/ids.ts'
import { paths } from '../wire/routes.ts'
import { type Endpoint, json } from './endpoint.ts'
import { DeviceHeader, IdempotencyHeader, StreamHeaders } from './headers.ts'

const at = (path: (task: DelegatedTaskId) => string) => path('{delegated}' as DelegatedTaskId)

export const DelegatedTaskPage = pageOf(DelegatedTask)
export const DelegatedTasksQuery = z.object({
  cursor: z.string().optional().describe('The `next` of the page before.'),
  status: DelegatedStatus.optional().describe(
    'Only tasks in this state; a page may then be short though more follow.',
  ),
  conversation_id: z.string().max(200).optional().describe('Only tasks of this conversation.'),
})

const writing: Endpoint['faults'] = ['request.too-large', 'request.unsupported-type', 'log.unavailable']

/** Tasks that programs delegate to the hub (W80 to W89). */
export const delegatedTasks = {
  postDelegated: {
    method: 'POST',
    path: paths.delegatedTasks(),
    summary: 'Delegate a task: the hub has an agent work on it in a sandbox (W80)',
    who: 'user',
    headers: z.object({ ...IdempotencyHeader.shape, ...DeviceHeader.shape }),
    body: json(NewDelegatedTask),
    answers: { 201: { says: 'Created', bodies: json(DelegatedTask) } },
    faults: [...writing, 'key.reused', 'sandbox.refused', 'terms.refused', 'storage.full'],
  },
  getDelegated: {
    method: 'GET',
    path: paths.delegatedTasks(),
    summary: 'List your delegated tasks, newest first (W81)',
    who: 'user',
    query: DelegatedTasksQuery,
    answers: { 200: { says: '50 a page', bodies: json(DelegatedTaskPage) } },
  },
  getOneDelegated: {
    method: 'GET',
    path: at(paths.delegatedTask),
    summary: 'One delegated task: its state, its progress and its result (W81)',
    who: 'user',
    answers: { 200: { says: 'As its log has it now', bodies: json(TaskSnapshot) } },
    faults: ['task.unknown'],
  },
  getDelegatedStream: {
    method: 'GET',
    path: at(paths.delegatedStream),
    summary: 'Follow a delegated task, from an event on (W85)',
    who: 'user',
    query: z.object({
      last_seq: z.number().int().nonnegative().optional().describe('The last event that was received.'),
    }),
    headers: StreamHeaders,
    answers: {
      200: { says: 'One JSON object a message', bodies: { 'text/event-stream': TaskFrame } },
    },
    faults: ['task.unknown', 'cursor.ahead', 'request.not-acceptable'],
  },
  patchDelegatedState: {
    method: 'PATCH',
    path: at(paths.delegatedState),
    summary: 'Pause, resume or cancel a delegated task (W83)',
    who: 'user',
    headers: DeviceHeader,
    body: json(TaskStateChange),
    answers: { 200: { says: 'As it is now', bodies: json(TaskSnapshot) } },
    faults: ['task.unknown', 'task.refused', ...writing],
  },
  putRunDelegated: {
    method: 'PUT',
    path: paths.runDelegated('{run}' as RunId),
    summary: 'Pause, resume or cancel the task that was delegated with a run, for pages (W83)',
    who: 'user',
    body: json(TaskStateChange),
    answers: { 200: { says: 'As it is now', bodies: json(TaskSnapshot) } },
    faults: ['run.unknown', 'task.unknown', 'task.refused', ...writing],
  },
  postDelegatedInput: {
    method: 'POST',
    path: at(paths.delegatedInput),
    summary: 'Answer a question of the agent, or tell it more (W82)',
    who: 'user',
    headers: z.object({ ...IdempotencyHeader.shape, ...DeviceHeader.shape }),
    body: json(TaskInput),
    answers: { 202: { says: 'Stored', bodies: json(InputTaken) } },
    faults: ['task.unknown', 'task.refused', 'key.reused', 'run.overfull', 'run.closed', ...writing],
  },
} as const satisfies Record<string, Endpoint>

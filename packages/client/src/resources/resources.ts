import { event } from '@farhand/protocol/events/event-names'
import { SyncStatus } from '@farhand/protocol/runs/sync-status'
import {
  ListedRun,
  type NewProject,
  type NewRun,
  type NewRunner,
  type NewTask,
  Project,
  pageOf,
  RestAsking,
  Run,
  type RunMove,
  RunnerGrant,
  Task,
} from '@farhand/protocol/schemas/api'
import { AvailableAgents } from '@farhand/protocol/schemas/available-agents'
import { type ProjectId, type RunId, randomName, type TaskId } from '@farhand/protocol/wire/ids'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import type { RunStatus } from '@farhand/protocol/wire/run-status'
import { type CallOptions, call, type Schema } from '../requests/call.ts'
import { type Hub, type HubRequest, jsonRequest } from '../requests/hub.ts'
import { confirm, Unconfirmed } from '../requests/unconfirmed.ts'

export type CreateOptions = CallOptions & {
  /** Requests with the same key create one thing. Random by default; an Unconfirmed has the key that was used. */
  key?: string
}
export type ListOptions = CallOptions & { cursor?: string }

/** Which of a user's runs: by status, by the beginning of the id, by a text in title, project or id. */
export type RunFilter = {
  status?: RunStatus
  begins?: string
  find?: string
  archived?: boolean
  /** Only those that wait for their user. */
  waiting?: true
  /** The most recently active first; without it the most recently created. */
  order?: 'active'
}

const anything: Schema<void> = { parse: () => {} }
const projectPage = pageOf(Project)
const taskPage = pageOf(Task)
const runPage = pageOf(Run)
const listedRunPage = pageOf(ListedRun)

export const createProject = (hub: Hub, project: NewProject, options?: CreateOptions) =>
  create(hub, paths.projects(), project, Project, options)

export const createTask = (hub: Hub, project: ProjectId, task: NewTask, options?: CreateOptions) =>
  create(hub, paths.tasks(project), task, Task, options)

export const createRun = (hub: Hub, project: ProjectId, task: TaskId, run: NewRun, options?: CreateOptions) =>
  create(hub, paths.runs(project, task), run, Run, options)

/** Begins the next generation of the run's runner: the one before is fenced once this resolves. */
export const beginRunner = (hub: Hub, at: RunAddress, runner: NewRunner = {}, options?: CreateOptions) =>
  create(hub, paths.runner(at), runner, RunnerGrant, options)

/** Called with a runner's token when that runner is done: a run that is being closed is closed once this resolves. */
export const endRunner = (hub: Hub, at: RunAddress, options?: CallOptions): Promise<void> =>
  call(hub, { method: 'DELETE', path: paths.runner(at) }, anything, options)

/** Asks the run's runner to rest now (W46); its answer is in the log. A run with open turns or questions is refused as busy. */
export const askRest = (hub: Hub, at: RunAddress, options?: CallOptions): Promise<RestAsking> =>
  call(hub, { method: 'POST', path: paths.rest(at) }, RestAsking, options)

/** Has the agent of a run work somewhere else from now on (W46). Calling it twice is the same as once. */
export const moveRun = (hub: Hub, at: RunAddress, move: RunMove, options?: CallOptions): Promise<Run> =>
  call(hub, jsonRequest('POST', paths.move(at), move), Run, options)

/** The agents and the kinds of sandbox that runs can have at this hub. */
export const listAgents = (hub: Hub, options?: CallOptions): Promise<AvailableAgents> =>
  call(hub, { path: paths.agents() }, AvailableAgents, options)

/** One page of projects, newest first. */
export const listProjects = (hub: Hub, options?: ListOptions) =>
  list(hub, paths.projects(), projectPage, options)

export const listTasks = (hub: Hub, project: ProjectId, options?: ListOptions) =>
  list(hub, paths.tasks(project), taskPage, options)

export const listRuns = (hub: Hub, project: ProjectId, task: TaskId, options?: ListOptions) =>
  list(hub, paths.runs(project, task), runPage, options)

/** One page of all your runs, newest first; with a status, or of those that wait, it may be short, or empty, though more follow. */
export const listAllRuns = (
  hub: Hub,
  { status, begins, find, archived, waiting, order, ...options }: ListOptions & RunFilter = {},
) =>
  list(hub, paths.allRuns(), listedRunPage, options, {
    status,
    begins,
    find: find || undefined,
    archived: archived === undefined ? undefined : String(archived),
    waiting: waiting ? 'true' : undefined,
    order,
  })

/** A run with its project and task, from its id alone. */
export const findRun = (hub: Hub, run: RunId, options?: CallOptions) =>
  call(hub, { path: paths.anyRun(run) }, Run, options)

/** A run as `listAllRuns` gives it, from its id alone: with its title, and whether it is archived. */
export const findListedRun = (hub: Hub, run: RunId, options?: CallOptions) =>
  call(hub, { path: paths.anyRun(run) }, ListedRun, options)

/** The current status of a run. */
export const runStatus = (hub: Hub, at: RunAddress, options?: CallOptions) =>
  call(hub, { path: paths.status(at) }, SyncStatus, options)

/** Asks the hub to close a run; it is closed when `session_close` is in the log. Calling it twice is the same as once. */
export const closeRun = (hub: Hub, at: RunAddress, options?: CallOptions): Promise<void> =>
  call(hub, { method: 'DELETE', path: paths.sync(at) }, anything, options)

/** Opens a closed run again; no effect on an open one. */
export const initRun = (hub: Hub, at: RunAddress, options?: CallOptions): Promise<void> =>
  call(hub, jsonRequest('POST', paths.sync(at), event('session_init', {})), anything, options)

/** The address of a run, from the run itself. */
export const addressOf = (run: Run): RunAddress => ({ project: run.project, task: run.task, run: run.id })

function create<T>(
  hub: Hub,
  path: string,
  body: unknown,
  answer: Schema<T>,
  options: CreateOptions = {},
): Promise<T> {
  const key = options.key ?? randomName()
  const request = jsonRequest('POST', path, body, { 'idempotency-key': key })
  return confirm(
    options,
    (options) => call(hub, request, answer, options),
    (cause) => new Unconfirmed(cause, key, `Create it again with the key ${key}`),
  )
}

function list<T>(
  hub: Hub,
  path: string,
  page: Schema<T>,
  options: ListOptions = {},
  filter: HubRequest['query'] = {},
): Promise<T> {
  return call(hub, { path, query: { ...filter, cursor: options.cursor } }, page, options)
}

import { z } from 'zod'
import {
  ListedRun,
  NewProject,
  NewRun,
  NewRunner,
  NewTask,
  Ok,
  Project,
  pageOf,
  RestAsking,
  Run,
  RunMove,
  RunnerGrant,
  Task,
} from '../schemas/api.ts'
import { paths, type RunAddress } from '../wire/routes.ts'
import { RunStatus } from '../wire/run-status.ts'
import { type Endpoint, json, ofRun, template } from './endpoint.ts'
import { IdempotencyHeader, SessionIdHeader } from './headers.ts'

const Page = z.object({ cursor: z.string().optional().describe('The `next` of the page before.') })

export const ProjectPage = pageOf(Project)
export const TaskPage = pageOf(Task)
export const RunPage = pageOf(Run)
export const ListedRunPage = pageOf(ListedRun)
export const AllRunsQuery = Page.extend({
  status: RunStatus.optional().describe(
    'Only runs with this status; a page may then be short though more follow.',
  ),
  begins: z
    .string()
    .regex(/^run_[0-9A-Za-z]{0,64}$/, 'expected the beginning of a run id: run_...')
    .optional()
    .describe('Only runs whose ids begin with this.'),
  find: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Only runs whose title, project or id contains this.'),
  archived: z
    .enum(['true', 'false'])
    .optional()
    .describe('Only archived runs, or only others; without it all.'),
  waiting: z
    .literal('true')
    .optional()
    .describe('Only runs that wait for their user; a page may then be short though more follow.'),
  order: z
    .enum(['created', 'active'])
    .optional()
    .describe('The most recently created first (the default), or the most recently active first.'),
})

const projects = paths.projects()
const project = template((at: RunAddress) => paths.project(at.project))
const tasks = template((at: RunAddress) => paths.tasks(at.project))
const task = template((at: RunAddress) => paths.task(at.project, at.task))
const runs = template((at: RunAddress) => paths.runs(at.project, at.task))
const run = template(paths.run)
const allRuns = paths.allRuns()
const anyRun = template((at: RunAddress) => paths.anyRun(at.run))
const runner = template(paths.runner)

const list = (path: string, summary: string, page: z.ZodType, faults: Endpoint['faults'] = []): Endpoint => ({
  method: 'GET',
  path,
  summary,
  who: 'user',
  query: Page,
  answers: { 200: { says: '50 a page', bodies: json(page) } },
  faults,
})

const create = (
  path: string,
  summary: string,
  body: z.ZodType,
  made: z.ZodType,
  faults: Endpoint['faults'] = [],
): Endpoint => ({
  method: 'POST',
  path,
  summary,
  who: 'user',
  headers: IdempotencyHeader,
  body: json(body),
  answers: { 201: { says: 'Created', bodies: json(made) } },
  faults: ['key.reused', 'request.too-large', 'request.unsupported-type', ...faults],
})

const read = (path: string, summary: string, what: z.ZodType, faults: Endpoint['faults']): Endpoint => ({
  method: 'GET',
  path,
  summary,
  who: 'user',
  answers: { 200: { says: 'As it was created', bodies: json(what) } },
  faults: faults ?? [],
})

/** Projects, their tasks and their runs (W2). */
export const collections = {
  getProjects: list(projects, 'List your projects, newest first', ProjectPage),
  postProject: create(projects, 'Create a project', NewProject, Project),
  getProject: read(project, 'One project', Project, ['project.unknown']),
  getTasks: list(tasks, 'List the tasks of a project, newest first', TaskPage, ['project.unknown']),
  postTask: create(tasks, 'Create a task', NewTask, Task),
  getTask: read(task, 'One task', Task, ['project.unknown', 'task.unknown']),
  getRuns: list(runs, 'List the runs of a task, newest first', RunPage, ['project.unknown', 'task.unknown']),
  postRun: create(runs, 'Create a run: one execution of a task', NewRun, Run, [
    'run.unknown',
    'secret.unknown',
    'secret.locked',
    'terms.refused',
  ]),
  getRun: { ...read(run, 'One run', Run, ['run.unknown']), who: 'user-or-runner' },
  getAllRuns: {
    ...list(allRuns, 'List all your runs, newest first, with their states', ListedRunPage),
    query: AllRunsQuery,
  },
  getAnyRun: read(anyRun, 'One listed run, from its id alone', ListedRun, ['run.unknown']),
  postRunner: {
    method: 'POST',
    path: runner,
    summary: "Begin the next generation of a run's runner: the one before is fenced (W8)",
    who: 'user',
    headers: IdempotencyHeader.extend(SessionIdHeader.shape),
    body: json(NewRunner),
    answers: {
      201: { says: 'The token of the only runner that may write from now on', bodies: json(RunnerGrant) },
    },
    faults: ['run.unknown', 'run.closed', 'role.refused', 'key.reused', 'run.taken', 'run.busy'],
  },
  postRest: ofRun({
    method: 'POST',
    path: template(paths.rest),
    summary: "Ask the run's runner to rest now (W46)",
    who: 'user',
    answers: { 202: { says: 'Asked; the runner answers in the log', bodies: json(RestAsking) } },
    faults: ['run.closed', 'role.refused', 'run.busy'],
  }),
  postMove: ofRun({
    method: 'POST',
    path: template(paths.move),
    summary: 'Set where the agent of a run works from now on (W46)',
    who: 'user',
    body: json(RunMove),
    answers: { 200: { says: 'It works there', bodies: json(Run) } },
    faults: ['run.closed', 'role.refused', 'run.taken', 'run.busy', 'sandbox.refused', 'terms.refused'],
  }),
  deleteRunner: ofRun({
    method: 'DELETE',
    path: runner,
    summary: "The run's runner is done: a run that is being closed waits for it no longer (W22)",
    who: 'runner',
    answers: { 200: { says: 'If the run was being closed, it is closed now', bodies: json(Ok) } },
    faults: ['role.refused', 'runner.fenced'],
  }),
} as const satisfies Record<string, Endpoint>

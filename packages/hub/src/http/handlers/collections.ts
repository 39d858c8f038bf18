import { AllRunsQuery } from '@farhand/protocol/endpoints/collections'
import { NewProject, NewRun, NewTask, type Project, type Run } from '@farhand/protocol/schemas/api'
import { Fault } from '@farhand/protocol/wire/faults'
import { limits } from '@farhand/protocol/wire/limits'
import { firstEvents } from '../../runs/first-events.ts'
import { forkRun } from '../../runs/fork-run.ts'
import { listAllRuns } from '../../runs/list-all-runs.ts'
import { runsAsListed } from '../../runs/run-now.ts'
import { isKeyUsed, once } from '../../store/idempotency.ts'
import type { Page } from '../../store/page.ts'
import { createProject, listProjects } from '../../store/projects.ts'
import { createRun, listRuns } from '../../store/runs.ts'
import { createTask, listTasks } from '../../store/tasks.ts'
import { readJson } from '../exchange/body.ts'
import { answerJson, type Exchange, parse, userOf } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { readKey } from '../sync-body/read-notifications.ts'
import { authorizedRun } from './authorized-run.ts'
import { refuseForbiddenTerms, refuseWrongClone } from './refuse-terms.ts'

const page = (query: URLSearchParams): Page => ({
  cursor: query.get('cursor') ?? undefined,
  limit: limits.pageSize,
})

export async function getProjects(parts: HubParts, { res, query, who }: Exchange): Promise<void> {
  answerJson(res, 200, await listProjects(parts.db, userOf(who).user, page(query)))
}

export async function postProject(parts: HubParts, { req, res, who }: Exchange): Promise<void> {
  const { user } = userOf(who)
  const body = parse(NewProject, await readJson(req, parts.config.bodyTimeoutMs))
  const call = { user, key: readKey(req), route: 'projects', body }
  const project = await once(parts.db, call, (trx) => createProject(trx, user, body, new Date()))
  answerJson(res, 201, { ...project, role: 'owner' } satisfies Project)
}

export async function getProject(parts: HubParts, exchange: Exchange): Promise<void> {
  const { res } = exchange
  answerJson(res, 200, await parts.directory.project(exchange))
}

export async function getTasks(parts: HubParts, exchange: Exchange): Promise<void> {
  const { res, query } = exchange
  const project = await parts.directory.project(exchange)
  answerJson(res, 200, await listTasks(parts.db, project.id, page(query)))
}

export async function postTask(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req, res, who } = exchange
  const { user } = userOf(who)
  const project = await parts.directory.project(exchange)
  const body = parse(NewTask, await readJson(req, parts.config.bodyTimeoutMs))
  const call = { user, key: readKey(req), route: `tasks of ${project.id}`, body }
  answerJson(res, 201, await once(parts.db, call, (trx) => createTask(trx, project.id, body, new Date())))
}

export async function getTask(parts: HubParts, exchange: Exchange): Promise<void> {
  const { res } = exchange
  answerJson(res, 200, await parts.directory.task(exchange))
}

export async function getRuns(parts: HubParts, exchange: Exchange): Promise<void> {
  const { res, query } = exchange
  const task = await parts.directory.task(exchange)
  answerJson(res, 200, await listRuns(parts.db, { project: task.project, task: task.id }, page(query)))
}

export async function postRun(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req, res, who } = exchange
  const { user, author } = userOf(who)
  const task = await parts.directory.task(exchange)
  const body = parse(NewRun, await readJson(req, parts.config.bodyTimeoutMs))
  // Read now, so that the caller learns at once that a secret is missing or locked.
  await parts.vault.secretsFor(task.project, body.terms?.secrets ?? [])
  const call = { user, key: readKey(req), route: `runs of ${task.id}`, body }
  const at = { project: task.project, task: task.id }
  if (body.fork) {
    // To read it is enough: the fork is a run of the user who makes it.
    const source = { who, params: { run: body.fork.run }, needs: 'view' } as const
    const from = await parts.directory.anyRun(source)
    if (from.project !== at.project) throw new Fault('run.unknown', 'there is no such run in this project')
    const { sandbox = from.sandbox, terms = from.terms } = body
    await refuseForbiddenTerms(parts, { owner: user, sandbox, terms })
    const asked = { at, from, body: { ...body, fork: body.fork }, by: author, call }
    const forked = await forkRun(parts, asked)
    parts.look(forked.id)
    parts.runChanges.touched(forked.id)
    return answerJson(res, 201, forked)
  }
  const asked = { owner: user, sandbox: body.sandbox ?? null, terms: body.terms }
  await refuseForbiddenTerms(parts, asked)
  // A repeated request must not fail because the remote has changed since the first one.
  if (!(await isKeyUsed(parts.db, call))) await refuseWrongClone(parts, { ...asked, project: at.project })
  const run: Run = await once(parts.db, call, (trx) => createRun(trx, at, body, new Date(), { owner: user }))
  // Each batch has its own key: when the caller repeats the request after a crash, only the missing ones are stored.
  for (const batch of firstEvents(run, body, author)) await parts.log.append(run.id, () => batch)
  parts.look(run.id)
  // The log of a new run may still be empty, so the lists are notified directly.
  parts.runChanges.touched(run.id)
  answerJson(res, 201, run)
}

export async function getAllRuns(parts: HubParts, { res, query, who }: Exchange): Promise<void> {
  const { archived, status, begins, find, waiting, order } = parse(AllRunsQuery, Object.fromEntries(query))
  const isArchived = archived === undefined ? undefined : archived === 'true'
  const isWaiting = waiting === undefined ? undefined : true
  const byActivity = order === 'active' ? true : undefined
  const wanted = { status, begins, find, isArchived, isWaiting, byActivity } as const
  if (byActivity) await parts.activity.noted()
  answerJson(res, 200, await listAllRuns(parts, userOf(who).user, wanted, page(query)))
}

export async function getAnyRun(parts: HubParts, exchange: Exchange): Promise<void> {
  const { res, who } = exchange
  const { id } = await parts.directory.anyRun(exchange)
  const [found] = await runsAsListed(parts, [id], userOf(who).user)
  if (!found) throw new Fault('run.unknown', 'there is no such run any more')
  answerJson(res, 200, found)
}

export async function getRun(parts: HubParts, exchange: Exchange): Promise<void> {
  const { owner: _, ...run } = await authorizedRun(parts, exchange)
  answerJson(exchange.res, 200, run)
}

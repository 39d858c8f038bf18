import {
  NewSchedule,
  type Schedule,
  ScheduleChange,
  scheduleLimits,
} from '@farhand/protocol/schemas/schedules'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import { type ProjectId, ScheduleId, type UserId } from '@farhand/protocol/wire/ids'
import { limits } from '@farhand/protocol/wire/limits'
import { whyWebHookRefused } from '../../notify/outbound-post.ts'
import { nextDue, unlessOver, whyNoTiming } from '../../schedules/due-times.ts'
import { scheduleInWire } from '../../schedules/schedule-in-wire.ts'
import { isKeyUsed, once } from '../../store/idempotency.ts'
import { addDueNow, listOccurrences } from '../../store/schedules/occurrences.ts'
import * as store from '../../store/schedules/schedules.ts'
import { createTask } from '../../store/tasks.ts'
import { readJson } from '../exchange/body.ts'
import { answerJson, type Exchange, parse, userOf } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { readKey } from '../sync-body/read-notifications.ts'
import { refuseForbiddenTerms, refuseWrongClone } from './refuse-terms.ts'

const page = (query: URLSearchParams) => ({
  cursor: query.get('cursor') ?? undefined,
  limit: limits.pageSize,
})

export async function getSchedules(parts: HubParts, { res, query, who }: Exchange): Promise<void> {
  const found = await store.listSchedules(parts.db, userOf(who).user, page(query))
  const items: Schedule[] = []
  for (const one of found.items) {
    // Rare due times take milliseconds to find: other requests get their turn in between.
    await new Promise(setImmediate)
    items.push(await shown(parts, one))
  }
  answerJson(res, 200, { items, next: found.next })
}

export async function postSchedule(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req, res, who } = exchange
  const { user } = userOf(who)
  const body = parse(NewSchedule, await readJson(req, parts.config.bodyTimeoutMs))
  await parts.directory.project({ ...exchange, params: { project: body.project } })
  const now = new Date()
  const call = { user, key: readKey(req), route: 'schedules', body }
  // A repeated request must not fail because its time is past meanwhile, or the remote has changed.
  if (!(await isKeyUsed(parts.db, call))) await refuseUnusable(parts, { owner: user, ...body }, now)
  const made = await once(parts.db, call, async (trx) => {
    const task = await createTask(trx, body.project, { title: body.name }, now)
    const timing = { timing: body.timing, anchor: now.getTime() }
    const nextDueAt = unlessOver(nextDue(timing, now.getTime()), timeOf(body.until))
    const schedule = { owner: user, task: task.id, body, nextDueAt }
    const stored = await store.createSchedule(trx, schedule, scheduleLimits.perUser, now)
    if (!stored) throw tooMany(`you have ${scheduleLimits.perUser} schedules; delete one first`)
    return scheduleInWire(stored, null)
  })
  void parts.schedules.look()
  answerJson(res, 201, made)
}

export async function getSchedule(parts: HubParts, exchange: Exchange): Promise<void> {
  answerJson(exchange.res, 200, await shown(parts, await ownSchedule(parts, exchange)))
}

export async function patchSchedule(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req, res } = exchange
  const { id, owner, project } = await ownSchedule(parts, exchange)
  const body = parse(ScheduleChange, await readJson(req, parts.config.bodyTimeoutMs))
  // Its user may have left the project: what secrets there are is no longer theirs to know.
  await parts.directory.project({ ...exchange, params: { project } })
  await refuseUnusable(parts, { owner, project, ...body }, new Date())
  await parts.db.transaction().execute(async (trx) => {
    // Read again: it may have been due or changed while the body came and was checked, and that must not be undone.
    const schedule = await ownSchedule({ db: trx }, exchange)
    const now = new Date()
    await store.changeSchedule(trx, id, withKeptSecret(body, schedule), retimed(schedule, body, now), now)
  })
  void parts.schedules.look()
  answerJson(res, 200, await shown(parts, await ownSchedule(parts, exchange)))
}

export async function deleteSchedule(parts: HubParts, exchange: Exchange): Promise<void> {
  const { id } = await ownSchedule(parts, exchange)
  await store.removeSchedule(parts.db, id, new Date())
  void parts.schedules.look()
  answerJson(exchange.res, 200, { ok: true })
}

export async function postScheduleRunNow(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req, res, who } = exchange
  const { id } = await ownSchedule(parts, exchange)
  const call = { user: userOf(who).user, key: readKey(req), route: `run-now of ${id}`, body: null }
  const made = await once(parts.db, call, async (trx) => {
    const due = await addDueNow(trx, id, scheduleLimits.waiting, new Date())
    if (!due) throw tooMany(`${scheduleLimits.waiting} runs of this schedule wait already`)
    return due
  })
  void parts.schedules.look()
  answerJson(res, 201, made)
}

export async function getOccurrences(parts: HubParts, exchange: Exchange): Promise<void> {
  const { id } = await ownSchedule(parts, exchange)
  answerJson(exchange.res, 200, await listOccurrences(parts.db, id, page(exchange.query)))
}

/** The schedule of the path, if it is the caller's. */
async function ownSchedule(
  { db }: Pick<HubParts, 'db'>,
  { params, who }: Exchange,
): Promise<store.StoredSchedule> {
  const id = ScheduleId.safeParse(params.schedule)
  const found = id.success ? await store.findSchedule(db, userOf(who).user, id.data) : null
  if (!found) throw new Fault('schedule.unknown', 'there is no such schedule')
  return found
}

async function shown({ db }: HubParts, schedule: store.StoredSchedule): Promise<Schedule> {
  const { items } = await listOccurrences(db, schedule.id, { limit: 1 })
  return scheduleInWire(schedule, items[0] ?? null)
}

type Asked = { owner: UserId; project: ProjectId } & Pick<ScheduleChange, 'timing' | 'run' | 'callback'>

/** Refuses what could never start a run, or never be called. Most of it is checked again whenever the schedule is due. */
async function refuseUnusable(
  parts: HubParts,
  { owner, project, timing, run, callback }: Asked,
  now: Date,
): Promise<void> {
  const wrong = timing ? whyNoTiming(timing, now.getTime()) : null
  if (wrong) throw malformed(wrong.field, wrong.why)
  if (callback) {
    const why = await whyWebHookRefused(callback.url, parts.config.allowPrivateCalls)
    if (why !== null) throw malformed('callback.url', why)
  }
  if (!run) return
  if (run.sandbox === 'none')
    throw malformed('run.sandbox', 'a run that the hub starts by itself needs a sandbox of the hub')
  await parts.vault.secretsFor(project, run.terms?.secrets ?? [])
  const asked = { owner, sandbox: run.sandbox ?? null, terms: run.terms }
  await refuseForbiddenTerms(parts, asked)
  await refuseWrongClone(parts, { ...asked, project })
}

/** When a changed schedule is due next; null if the change leaves that as it was. */
function retimed(schedule: store.StoredSchedule, body: ScheduleChange, now: Date) {
  const { timing = schedule.timing, maxRuns = schedule.maxRuns, isPaused } = body
  const isResumed = isPaused === false && schedule.paused !== null
  const isAsked = [body.timing, body.until, body.maxRuns].some((said) => said !== undefined)
  if (!isAsked && !isResumed) return null
  const until = body.until === undefined ? schedule.until : timeOf(body.until)
  const isOver = maxRuns !== null && schedule.runs >= maxRuns
  const isAnew = body.timing !== undefined || isResumed || schedule.nextDueAt === null
  if (isOver) return { nextDueAt: null }
  const anchor = body.timing === undefined ? schedule.anchor : now.getTime()
  const next = isAnew ? nextDue({ timing, anchor }, now.getTime()) : schedule.nextDueAt
  return {
    nextDueAt: unlessOver(next, until),
    ...(body.timing !== undefined && { anchor: now }),
  }
}

/** A secret is never in an answer, so a client that changes something else about a callback cannot send it again. */
function withKeptSecret(body: ScheduleChange, { callback: before }: store.StoredSchedule): ScheduleChange {
  const { callback } = body
  if (!callback || callback.secret !== undefined || callback.url !== before?.url) return body
  return { ...body, callback: { ...callback, ...(before.secret !== undefined && { secret: before.secret }) } }
}

const timeOf = (text: string | null | undefined) => (text ? Date.parse(text) : null)

const tooMany = (why: string) => new Fault('schedule.too-many', why)

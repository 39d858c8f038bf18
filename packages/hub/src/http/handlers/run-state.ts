import { event } from '@farhand/protocol/events/event-names'
import { statusAnswer } from '@farhand/protocol/runs/sync-status'
import type { RestAsking } from '@farhand/protocol/schemas/api'
import { NewRunner, RunMove } from '@farhand/protocol/schemas/api'
import { Fault } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import { isBusy } from '../../lifecycle/decide.ts'
import type { EventLog } from '../../log/event-log.ts'
import type { LogReaders } from '../../log/follow.ts'
import { beginGeneration } from '../../runs/begin-generation.ts'
import { admitted } from '../../runs/inbox.ts'
import { moveRun } from '../../runs/move-run.ts'
import { noteSandboxKind } from '../../store/runs.ts'
import { readJson } from '../exchange/body.ts'
import { answerJson, type Exchange, parse } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { readKey } from '../sync-body/read-notifications.ts'
import { authorizedRun } from './authorized-run.ts'
import { refuseForbiddenTerms } from './refuse-terms.ts'

/** `GET /sync/status`: the current state of the run, folded from its log (W23). */
export async function getStatus(parts: HubParts, exchange: Exchange): Promise<void> {
  const run = await authorizedRun(parts, exchange)
  const { lastId, view } = await parts.log.head(run.id)
  answerJson(exchange.res, 200, statusAnswer(view, lastId, parts.isHealthy(run.id, view.generation)))
}

/** `DELETE /sync`: asks for the run to be closed (W22). Asking twice is the same as asking once. */
export async function deleteSync(parts: HubParts, exchange: Exchange): Promise<void> {
  const run = await authorizedRun(parts, exchange)
  if (!parts.config.allowClose) throw new Fault('close.refused', 'this hub does not let clients close runs')
  const close = event('close', {})
  await parts.closer.close(run, () =>
    parts.log.append(run.id, ({ view }) => ({
      by: exchange.who!.author,
      notifications: view.status === 'closed' || view.closing ? [] : [close],
    })),
  )
  const { lastId } = await parts.log.head(run.id)
  answerJson(exchange.res, 202, { lastEventId: lastId })
}

/** `DELETE .../runner`: its runner has saved everything and is done (W22). Sending it twice has the same effect as once. */
export async function deleteRunner(parts: HubParts, exchange: Exchange): Promise<void> {
  const run = await authorizedRun(parts, exchange)
  if (exchange.who!.kind !== 'runner') throw new Error('the route let in a caller that is not a runner')
  await parts.closer.runnerDone(run.id, exchange.who!.generation)
  answerJson(exchange.res, 200, { ok: true })
}

/** `POST .../runner`: the next generation, which fences the one before (W8). */
export async function postRunner(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req, res } = exchange
  const run = await authorizedRun(parts, exchange)
  const asked = parse(NewRunner, await readJson(req, parts.config.bodyTimeoutMs))
  const grant = await beginGeneration(
    parts.log,
    parts.secret,
    run.id,
    asked,
    readKey(req),
    hasRunner(parts, run.id),
  )
  parts.closer.runnerBegan(run.id, grant.generation)
  if (asked.after !== undefined && asked.sandboxId === undefined) {
    await noteSandboxKind(parts.db, run.id, 'none')
    forgetPlace(parts, run.id, asked.after)
  }
  answerJson(res, 201, grant)
}

/** `POST .../runner/rest`: asks its runner to rest now (W46). */
export async function postRest(parts: HubParts, exchange: Exchange): Promise<void> {
  const run = await authorizedRun(parts, exchange)
  answerJson(exchange.res, 202, await askRest(parts, run.id))
}

/** `POST .../move`: changes where its agent works (W46). */
export async function postMove(parts: HubParts, exchange: Exchange): Promise<void> {
  const run = await authorizedRun(parts, exchange)
  const move = parse(RunMove, await readJson(exchange.req, parts.config.bodyTimeoutMs))
  const { sandbox, after, check } = move
  await refuseForbiddenTerms(parts, { ...run, sandbox })
  // A member must not get, by moving the run of another user, what the member's own runs may not have.
  const mover = exchange.who!.kind === 'user' ? exchange.who!.user : run.owner
  if (mover !== run.owner) await refuseForbiddenTerms(parts, { ...run, owner: mover, sandbox })
  const why = sandbox === 'none' ? null : await parts.whyNoSandbox({ ...run, sandbox })
  if (why !== null) throw new Fault('sandbox.refused', why)
  if (!check) {
    await moveRun(parts, run, move, hasRunner(parts, run.id))
    forgetPlace(parts, run.id, after)
  }
  const { owner: _, ...moved } = await parts.directory.run(exchange)
  answerJson(exchange.res, 200, moved)
}

const hasRunner = (parts: HubParts, run: RunId) => (generation: number) =>
  parts.readers.hasRunner(run, generation)

function forgetPlace(parts: HubParts, run: RunId, generation: number): void {
  parts.directory.forget(run)
  parts.moved(run, generation)
}

/** Asks the runner of a run to rest, at a user's request (W46). If it was asked already and has not refused, it is not asked again. */
async function askRest(
  { log, readers }: { log: EventLog; readers: LogReaders },
  run: RunId,
): Promise<RestAsking> {
  let isAsked = false
  const { lastEventId } = await log.append(run, (head) => {
    const { view } = head
    isAsked = readers.hasRunner(run, view.generation)
    const isNew = isAsked && (view.rest === null || view.rest.rests === false)
    const refusal = isNew && isBusy(view) ? new Fault('run.busy', 'this run has something to do') : null
    const request = event('rest_request', { reason: 'handoff' })
    return admitted(
      { by: { kind: 'hub' }, notifications: isNew ? [request] : [], ...(refusal && { refusal }) },
      head,
    )
  })
  return { isAsked, lastEventId }
}

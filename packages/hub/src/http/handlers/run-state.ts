import { NewRunner, RunMove } from '@farhand/protocol/schemas/api'
import { event } from '@farhand/protocol/events/event-names'
import { Fault } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import { statusAnswer } from '@farhand/protocol/runs/sync-status'
import { askRest } from '../../lifecycle/ask-rest.ts'
import { beginGeneration } from '../../runs/begin-generation.ts'
import { moveRun } from '../../runs/move-run.ts'
import { noteSandboxKind } from '../../store/runs.ts'
import { answerJson, type Exchange, parse } from '../exchange/exchange.ts'
import { isRunnerHealthy } from '../hub-parts/is-runner-healthy.ts'
import { reachRun } from './authorized-run.ts'
import { readJson } from '../exchange/read-json.ts'
import { readKey } from '../sync-body/read-notifications.ts'
import { refuseBeyond } from './refuse-terms.ts'
import type { Rooms } from '../hub-parts/hub-parts.ts'

/** `GET /sync/status`: where the run stands, folded from its log (W23). */
export async function getStatus(rooms: Rooms, exchange: Exchange): Promise<void> {
  const run = await reachRun(rooms, exchange)
  const { lastId, view } = await rooms.log.head(run.id)
  answerJson(exchange.res, 200, statusAnswer(view, lastId, isRunnerHealthy(rooms, run.id, view.generation)))
}

/** `DELETE /sync`: asks for the run to be closed (W22). Asking twice is the same as asking once. */
export async function deleteSync(rooms: Rooms, exchange: Exchange): Promise<void> {
  const run = await reachRun(rooms, exchange)
  if (!rooms.config.allowClose) throw new Fault('close.refused', 'this hub does not let clients close runs')
  const close = event('close', {})
  await rooms.closer.close(run, () =>
    rooms.log.append(run.id, ({ view }) => ({
      by: exchange.who!.author,
      notifications: view.status === 'closed' || view.closing ? [] : [close],
    })),
  )
  const { lastId } = await rooms.log.head(run.id)
  answerJson(exchange.res, 202, { lastEventId: lastId })
}

/** `DELETE .../runner`: its runner has nothing more to say (W22). Saying it twice is the same as saying it once. */
export async function deleteRunner(rooms: Rooms, exchange: Exchange): Promise<void> {
  const run = await reachRun(rooms, exchange)
  if (exchange.who!.kind !== 'runner') throw new Error('the route let in someone who is no runner')
  await rooms.closer.runnerDone(run.id, exchange.who!.generation)
  answerJson(exchange.res, 200, { ok: true })
}

/** `POST .../runner`: the next generation, which fences the one before (W8). */
export async function postRunner(rooms: Rooms, exchange: Exchange): Promise<void> {
  const { req, res } = exchange
  const run = await reachRun(rooms, exchange)
  const asked = parse(NewRunner, await readJson(req, rooms.config.bodyTimeoutMs))
  const grant = await beginGeneration(
    rooms.log,
    rooms.secret,
    run.id,
    asked,
    readKey(req),
    hasRunner(rooms, run.id),
  )
  rooms.closer.runnerBegan(run.id, grant.generation)
  if (asked.after !== undefined && asked.sandboxId === undefined) {
    await noteSandboxKind(rooms.db, run.id, 'none')
    forgetPlace(rooms, run.id, asked.after)
  }
  answerJson(res, 201, grant)
}

/** `POST .../runner/rest`: its runner is to rest now (W46). */
export async function postRest(rooms: Rooms, exchange: Exchange): Promise<void> {
  const run = await reachRun(rooms, exchange)
  answerJson(exchange.res, 202, await askRest(rooms, run.id))
}

/** `POST .../move`: where its agent works from now on (W46). */
export async function postMove(rooms: Rooms, exchange: Exchange): Promise<void> {
  const run = await reachRun(rooms, exchange)
  const move = parse(RunMove, await readJson(exchange.req, rooms.config.bodyTimeoutMs))
  const { sandbox, after, check } = move
  await refuseBeyond(rooms, { ...run, sandbox })
  const why = sandbox === 'none' ? null : await rooms.whyNoSandbox({ ...run, sandbox })
  if (why !== null) throw new Fault('sandbox.refused', why)
  if (!check) {
    await moveRun(rooms, run, move, hasRunner(rooms, run.id))
    forgetPlace(rooms, run.id, after)
  }
  const { owner: _, ...moved } = await rooms.directory.run(exchange.who!, exchange.params)
  answerJson(exchange.res, 200, moved)
}

const hasRunner = (rooms: Rooms, run: RunId) => (generation: number) =>
  rooms.audiences.hasRunner(run, generation)

function forgetPlace(rooms: Rooms, run: RunId, generation: number): void {
  rooms.directory.forget(run)
  rooms.moved(run, generation)
}

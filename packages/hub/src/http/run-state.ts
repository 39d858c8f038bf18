import { NewRunner } from '@farhand/protocol/api'
import { Fault } from '@farhand/protocol/faults'
import { statusAnswer } from '@farhand/protocol/sync-status'
import { beginGeneration } from '../runs/begin-generation.ts'
import { answerJson, type Exchange, parse } from './exchange.ts'
import { isRunnerHealthy } from './is-runner-healthy.ts'
import { reachRun } from './reach-run.ts'
import { readJson } from './read-json.ts'
import { readKey } from './read-notifications.ts'
import type { Rooms } from './rooms.ts'

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
  const close = { jsonrpc: '2.0', method: '_posthog/close', params: {} } as const
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
  answerJson(res, 201, await beginGeneration(rooms.log, rooms.secret, run.id, asked, readKey(req)))
}

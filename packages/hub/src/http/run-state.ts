import { NewRunner } from '@farhand/protocol/api'
import { Fault } from '@farhand/protocol/faults'
import { statusAnswer } from '@farhand/protocol/sync-status'
import { beginGeneration } from '../runs/begin-generation.ts'
import { admitted } from '../runs/inbox.ts'
import { answerJson, type Exchange, parse } from './exchange.ts'
import { readJson } from './read-json.ts'
import { readKey } from './read-notifications.ts'
import type { Rooms } from './rooms.ts'
import { checkSessionId } from './session-id.ts'

/** `GET /sync/status`: where the run stands, folded from its log (W23). */
export async function getStatus(rooms: Rooms, { req, res, params, who }: Exchange): Promise<void> {
  const run = await rooms.directory.run(who!, params)
  checkSessionId(req, run.id)
  const { lastId, view } = await rooms.log.head(run.id)
  const healthy = view.generation > 0 && rooms.audiences.hasRunner(run.id, view.generation)
  answerJson(res, 200, statusAnswer(view, lastId, healthy))
}

/** `DELETE /sync`: asks for the run to be closed (W22). Asking twice is the same as asking once. */
export async function deleteSync(rooms: Rooms, { req, res, params, who }: Exchange): Promise<void> {
  const run = await rooms.directory.run(who!, params)
  checkSessionId(req, run.id)
  if (!rooms.config.allowClose) throw new Fault('close.refused', 'this hub does not let clients close runs')
  const { view } = await rooms.log.head(run.id)
  if (view.status !== 'closed' && !view.closing) {
    const close = { jsonrpc: '2.0', method: '_posthog/close', params: {} } as const
    await rooms.log.append(run.id, (head) => admitted({ by: who!.author, notifications: [close] }, head))
    await rooms.closer.closeSoon(run.id)
  }
  const { lastId } = await rooms.log.head(run.id)
  answerJson(res, 202, { lastEventId: lastId })
}

/** `POST .../runner`: the next generation, which fences the one before (W8). */
export async function postRunner(rooms: Rooms, { req, res, params, who }: Exchange): Promise<void> {
  const run = await rooms.directory.run(who!, params)
  const asked = parse(NewRunner, await readJson(req, rooms.config.bodyTimeoutMs))
  answerJson(res, 201, await beginGeneration(rooms.log, rooms.secret, run.id, asked, readKey(req)))
}

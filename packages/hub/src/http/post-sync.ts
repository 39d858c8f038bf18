import type { IncomingMessage } from 'node:http'
import { RegisterCallback } from '@farhand/protocol/api'
import type { Notification } from '@farhand/protocol/event'
import { Fault } from '@farhand/protocol/faults'
import { limits } from '@farhand/protocol/limits'
import type { Principal } from '../access/principal.ts'
import type { Brought } from '../blobs/brought.ts'
import type { Batch } from '../log/event-log.ts'
import { openRun } from '../runs/open-run.ts'
import type { OwnedRun } from '../runs/run-directory.ts'
import { storeBatch, storePack } from '../runs/store-batch.ts'
import { addCallbacks } from '../store/callbacks.ts'
import { bodyKind, decodeText, readBody, readChunks } from './body.ts'
import { answerJson, type Exchange, header, parse } from './exchange.ts'
import {
  bodyValues,
  checkSizes,
  keyStamp,
  readKey,
  readLife,
  readNotifications,
  readProducer,
} from './read-notifications.ts'
import { readPack } from './read-pack.ts'
import type { Rooms } from './rooms.ts'
import { checkSessionId } from './session-id.ts'
import { socketOf } from './sse.ts'
import { tokenOf } from './token-cookie.ts'
import { streamTurn } from './turn-stream.ts'

/** `POST /sync`: stores what was sent, all or nothing, and says so once it is durable (W10 to W15). */
export async function postSync(rooms: Rooms, exchange: Exchange): Promise<void> {
  const { req, res, params, who } = exchange
  const run = rooms.directory.known(who!, params) ?? (await rooms.directory.run(who!, params))
  checkSessionId(req, run.id)
  const kind = bodyKind(req)
  const sizes = { bytes: limits.requestBytes, timeoutMs: rooms.config.bodyTimeoutMs }
  if (kind === 'pack') return postPack(rooms, exchange, run, await readChunks(req, sizes))
  const body = await readBody(req, sizes)
  const values = bodyValues(decodeText(body), kind)

  if (values.length === 1 && isCallbackBody(values[0])) {
    const { callbacks } = parse(RegisterCallback, values[0])
    refuseRunner(who!)
    const { lastId } = await rooms.log.head(run.id)
    await addCallbacks(rooms.db, run.id, callbacks, new Date(), lastId)
    rooms.hooks.registered(run.id)
    return answerJson(res, 200, { registered: callbacks.length })
  }

  const notifications = readNotifications(values, who!.author.kind)
  if (notifications.some(({ method }) => method === '_posthog/session_init')) {
    if (notifications.length > 1) throw new Fault('request.malformed', 'method: session_init is sent alone')
    await openRun(rooms, run.id)
    await rooms.closer.opened(run.id)
    const { lastId, view } = await rooms.log.head(run.id)
    res.setHeader('Session-Id', run.id)
    return answerJson(res, 200, { sessionId: run.id, lastEventId: lastId, status: view.status })
  }

  await storeAndAnswer(rooms, exchange, run, notifications, body.length, null)
}

/** The same for a pack: its blobs are stored before its events (W31). */
async function postPack(
  rooms: Rooms,
  exchange: Exchange,
  run: OwnedRun,
  body: readonly Buffer[],
): Promise<void> {
  const { brought, events } = readPack(body, rooms.config.maxBlobBytes)
  const values = events ? bodyValues(decodeText(events), 'ndjson') : []
  const notifications = readNotifications(values, exchange.who!.author.kind)
  if (notifications.some(({ method }) => method === '_posthog/session_init')) {
    throw new Fault('request.malformed', 'method: session_init is sent alone, not in a pack')
  }
  await storeAndAnswer(rooms, exchange, run, notifications, events?.length ?? 0, brought)
}

async function storeAndAnswer(
  rooms: Rooms,
  { req, res, who }: Exchange,
  run: OwnedRun,
  notifications: readonly Notification[],
  eventBytes: number,
  brought: Brought | null,
): Promise<void> {
  const batch = readBatch(req, who!, notifications, eventBytes)
  const closes = notifications.some(({ method }) => method === '_posthog/close')
  if (closes && !rooms.config.allowClose)
    throw new Fault('close.refused', 'this hub does not let clients close runs')
  const turn = wantsTurn(req, notifications)
  // What is refused must not be stored: afterwards it would be too late to find out.
  if (turn) socketOf(res)
  if (who!.kind === 'runner') rooms.closer.runnerSpoke(run.id, who!.generation)
  if (brought) rooms.companions.offer(run.id, who!.author, brought)
  const store = () =>
    brought && brought.blobs.length > 0
      ? storePack(rooms, run, batch, brought)
      : storeBatch(rooms, run, batch)
  const appended = closes ? await rooms.closer.close(run, store) : await store()
  rooms.metrics.appended.inc(notifications.length)
  if (turn) streamTurn(rooms, res, run.id, appended.ids[0]!, tokenOf(req)!)
  else answerJson(res, 202, appended)
}

function readBatch(
  req: IncomingMessage,
  who: Principal,
  notifications: readonly Notification[],
  bodyBytes: number,
): Batch {
  // Blobs alone: there is nothing that could be stored twice.
  if (notifications.length === 0) return { notifications, by: who.author }
  checkSizes(notifications, bodyBytes)
  const producer = readProducer(req)
  const key = readKey(req)
  if (producer && key !== undefined) {
    throw new Fault('request.malformed', 'idempotency-key: goes without producer headers', {
      field: 'idempotency-key',
    })
  }
  const batch: Batch = { notifications, by: who.author }
  if (producer) batch.producer = producer
  if (key !== undefined) batch.key = keyStamp(key, notifications)
  const life = readLife(req, who.author.kind)
  if (life !== undefined) batch.life = life
  return batch
}

function isCallbackBody(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && (value as { type?: unknown }).type === 'register_callback'
  )
}

function refuseRunner(who: Principal): void {
  if (who.kind === 'runner') throw new Fault('role.refused', 'this is for clients; a runner may not send it')
}

function wantsTurn(req: IncomingMessage, notifications: readonly Notification[]): boolean {
  if (notifications.length !== 1 || notifications[0]!.method !== '_posthog/user_message') return false
  return (header(req, 'accept') ?? '').includes('text/event-stream')
}

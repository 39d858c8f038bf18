import type { IncomingMessage } from 'node:http'
import { isEvent } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import { limits } from '@farhand/protocol/wire/limits'
import type { ReceivedBlobs } from '../../blobs/received-blobs.ts'
import { openRun } from '../../runs/open-run.ts'
import type { OwnedRun } from '../../runs/run-directory.ts'
import { storeBatch, storePack } from '../../runs/store-batch.ts'
import { bodyKind, decodeText, readBody, readChunks } from '../exchange/body.ts'
import { checkSessionId } from '../exchange/check-session-id.ts'
import { answerJson, type Exchange, header } from '../exchange/exchange.ts'
import { asFault } from '../exchange/faults.ts'
import { tokenOf } from '../exchange/token-cookie.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { readStreamForm } from '../streams/read-stream-form.ts'
import { socketOf } from '../streams/sse-stream.ts'
import { InlineContents } from '../sync-body/inline-contents.ts'
import { type Requests, refusals, responses, takeRequests } from '../sync-body/json-rpc.ts'
import { bodyValues, readBatch, readNotifications } from '../sync-body/read-notifications.ts'
import { readPack } from '../sync-body/read-pack.ts'
import { refuseExpired, whyExpired } from './refuse-expired.ts'
import { registerWebHooks, webHooksAsked } from './register-web-hooks.ts'
import { streamTurn } from './turn-stream.ts'

/** `POST /sync`: stores the events that were sent, all or none, and answers once they are durable (W10 to W15). */
export async function postSync(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req } = exchange
  const run = parts.directory.known(exchange) ?? (await parts.directory.run(exchange))
  checkSessionId(exchange, run.id)
  const kind = bodyKind(req)
  const sizes = { bytes: limits.requestBytes, timeoutMs: parts.config.bodyTimeoutMs }
  if (kind === 'pack') return postPack(parts, exchange, run, await readChunks(req, sizes))
  const body = await readBody(req, sizes)
  const { values, isBatch } = bodyValues(decodeText(body), kind)
  const taken = takeRequests(values, isBatch)
  const { requests } = taken
  if (!requests) return post(parts, exchange, run, { values, bytes: body.length, answer: plainly(exchange) })
  try {
    await post(parts, exchange, run, {
      values: taken.values,
      bytes: body.length,
      requests,
      answer: (_, results) =>
        answerJson(
          exchange.res,
          200,
          responses(requests, (at) => resultAt(results, at)),
        ),
    })
  } catch (error) {
    const fault = asFault(error)
    // Errors of the hub itself are handled by the server, which logs them for the operator.
    if (fault.status >= 500 || exchange.res.headersSent) throw error
    answerJson(exchange.res, fault.status, refusals(requests, fault))
  }
}

type Result = { ids?: number[] } & Record<string, unknown>
type Body = {
  values: readonly unknown[]
  bytes: number
  requests?: Requests
  answer: (status: number, result: Result) => void
}

const plainly =
  ({ res }: Exchange) =>
  (status: number, result: Result) =>
    answerJson(res, status, result)

/** In a batch each request gets the id of its own event. */
const resultAt = (result: Result, at: number): Result =>
  result.ids ? { ...result, ids: result.ids.slice(at, at + 1) } : result

async function post(parts: HubParts, exchange: Exchange, run: OwnedRun, body: Body): Promise<void> {
  const { who } = exchange
  const { values, answer } = body
  const asked = values.length === 1 ? webHooksAsked(values[0]) : null
  if (asked) return answer(200, { registered: await registerWebHooks(parts, who!, run.id, asked) })
  const inline = new InlineContents()
  const notifications = readNotifications(values, who!.author, (content, hash) => inline.keep(content, hash))
  if (notifications.some((one) => isEvent(one, 'session_init'))) {
    if (notifications.length > 1) throw new Fault('request.malformed', 'method: session_init is sent alone')
    await openRun(parts, run.id, ({ view }) => whyExpired(parts, run, view) !== null)
    await parts.closer.opened(run.id)
    const { lastId, view } = await parts.log.head(run.id)
    return answer(200, { sessionId: run.id, lastEventId: lastId, status: view.status })
  }
  await refuseExpired(parts, exchange, run)
  await storeAndAnswer(parts, exchange, run, { ...body, notifications, received: inline.received })
}

/** As `post`, for a pack: its blobs are stored before its events (W31). */
async function postPack(
  parts: HubParts,
  exchange: Exchange,
  run: OwnedRun,
  body: readonly Buffer[],
): Promise<void> {
  const { received, events } = readPack(body, parts.config.maxBlobBytes)
  const { values } = events ? bodyValues(decodeText(events), 'ndjson') : { values: [] }
  const notifications = readNotifications(values, exchange.who!.author)
  if (notifications.some((one) => isEvent(one, 'session_init'))) {
    throw new Fault('request.malformed', 'method: session_init is sent alone, not in a pack')
  }
  const bytes = events?.length ?? 0
  const answer = plainly(exchange)
  await storeAndAnswer(parts, exchange, run, { values, notifications, bytes, received, answer })
}

type ReadBody = Body & { notifications: readonly Notification[]; received: ReceivedBlobs | null }

async function storeAndAnswer(
  parts: HubParts,
  { req, res, who, query }: Exchange,
  run: OwnedRun,
  { values, notifications, bytes, received, requests, answer }: ReadBody,
): Promise<void> {
  const batch = readBatch(req, who!.author, notifications, values, bytes)
  const closes = notifications.some((one) => isEvent(one, 'close'))
  if (closes && !parts.config.allowClose)
    throw new Fault('close.refused', 'this hub does not let clients close runs')
  const turn = wantsTurn(req, notifications) ? readStreamForm(query) : null
  // Checked before storing: a request that cannot be answered as a stream must store nothing.
  if (turn) socketOf(res)
  if (who!.kind === 'runner') parts.closer.runnerSpoke(run.id, who!.generation)
  if (received) parts.inlineSubscribers.offer(run.id, who!.author, received)
  const store = () =>
    received && received.blobs.length > 0
      ? storePack(parts, run, batch, received)
      : storeBatch(parts, run, batch)
  const appended = closes ? await parts.closer.close(run, store) : await store()
  parts.metrics.appended.inc(notifications.length)
  // A message that answered a question has no turn of its own (W62).
  if (!turn || appended.answered !== undefined) return answer(202, appended)
  const response = requests ? responses(requests, (at) => resultAt(appended, at)) : null
  const of = who!.kind === 'user' ? { user: who!.user, project: run.project } : undefined
  streamTurn(parts, res, run.id, appended.ids[0]!, { token: tokenOf(req)!, of, form: turn, response })
}

function wantsTurn(req: IncomingMessage, notifications: readonly Notification[]): boolean {
  if (notifications.length !== 1 || !isEvent(notifications[0]!, 'user_message')) return false
  return (header(req, 'accept') ?? '').includes('text/event-stream')
}

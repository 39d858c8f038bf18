import { RunArchived, RunLooking, RunMuted, RunSeen, RunTitle } from '@farhand/protocol/schemas/api'
import { Fault } from '@farhand/protocol/wire/faults'
import { NewPushSubscription } from '@farhand/protocol/schemas/push'
import { userByToken } from '../../access/tokens.ts'
import { whyNotCalled } from '../../notify/outbound-post.ts'
import { addPushSubscription, removePushSubscription } from '../../store/push-subscriptions.ts'
import { noteAboutRun, noteSeen } from '../../store/runs.ts'
import { answerJson, type Exchange, parse } from '../exchange/exchange.ts'
import { readJson } from '../exchange/read-json.ts'
import type { Rooms } from '../hub-parts/hub-parts.ts'
import { tokenOf } from '../exchange/token-cookie.ts'

type Note = Parameters<typeof noteAboutRun>[2]

/** `PUT /api/runs/{run}/title` (W48). */
export const putRunTitle = (rooms: Rooms, exchange: Exchange) =>
  note(rooms, exchange, (said) => ({ title: parse(RunTitle, said).title }))

/** `PUT /api/runs/{run}/archived` (W48). */
export const putRunArchived = (rooms: Rooms, exchange: Exchange) =>
  note(rooms, exchange, (said) => ({ is_archived: parse(RunArchived, said).isArchived ? 1 : 0 }))

/** `PUT /api/runs/{run}/muted` (W49). */
export const putRunMuted = (rooms: Rooms, exchange: Exchange) =>
  note(rooms, exchange, (said) => ({ is_muted: parse(RunMuted, said).isMuted ? 1 : 0 }))

/** `PUT /api/runs/{run}/seen`: other devices of the user's hear of it (W56). */
export async function putRunSeen(rooms: Rooms, { req, res, params, who }: Exchange): Promise<void> {
  const run = await rooms.directory.anyRun(who!, params)
  const seen = parse(RunSeen, await readJson(req, rooms.config.bodyTimeoutMs))
  if (await noteSeen(rooms.db, run.id, seen)) rooms.runChanges.touched(run.id)
  answerJson(res, 200, { ok: true })
}

/** `PUT /api/runs/{run}/looking`: who looks at a run is not told of it (W49). */
export async function putRunLooking(rooms: Rooms, exchange: Exchange): Promise<void> {
  const run = await rooms.directory.anyRun(exchange.who!, exchange.params)
  const { isLooking, client } = parse(RunLooking, await readJson(exchange.req, rooms.config.bodyTimeoutMs))
  rooms.onlookers.say(run.id, client, isLooking, performance.now())
  answerJson(exchange.res, 200, { ok: true })
}

/** `GET /api/agents` (W48). */
export async function getAgents(rooms: Rooms, { res, who }: Exchange): Promise<void> {
  if (who?.kind !== 'user') throw new Error('the route let in someone who is no user')
  answerJson(res, 200, await rooms.agentsHere(who.user))
}

export function getPushKey(rooms: Rooms, { res }: Exchange): void {
  answerJson(res, 200, { publicKey: rooms.webPush.publicKey })
}

/** `POST /api/push/subscriptions`: it is told as long as whoever asks is signed in as now (W49). */
export async function postPushSubscription(rooms: Rooms, { req, res }: Exchange): Promise<void> {
  const asked = parse(NewPushSubscription, await readJson(req, rooms.config.bodyTimeoutMs))
  check(asked, rooms.config.allowPrivateCalls)
  const known = await userByToken(rooms.db, tokenOf(req)!)
  if (!known) throw new Fault('token.invalid', 'this token is not known here any more: sign in again')
  const of = { user: known.user.id, tokenId: known.tokenId }
  answerJson(res, 201, { id: await addPushSubscription(rooms.db, of, asked, new Date()) })
}

export async function deletePushSubscription(rooms: Rooms, { res, params, who }: Exchange): Promise<void> {
  if (who?.kind !== 'user') throw new Error('the route let in someone who is no user')
  await removePushSubscription(rooms.db, who.user, params.id ?? '')
  answerJson(res, 200, { ok: true })
}

async function note(rooms: Rooms, { req, res, params, who }: Exchange, read: (said: unknown) => Note) {
  const run = await rooms.directory.anyRun(who!, params)
  await noteAboutRun(rooms.db, run.id, read(await readJson(req, rooms.config.bodyTimeoutMs)))
  rooms.runChanges.touched(run.id)
  answerJson(res, 200, { ok: true })
}

/** Keys that are none would only show when there is something to tell. */
function check({ endpoint, keys }: NewPushSubscription, allowPrivate: boolean): void {
  const why = whyNotCalled(endpoint, allowPrivate)
  if (why !== null) throw new Fault('request.malformed', `endpoint: ${why}`, { field: 'endpoint' })
  const bytes = (text: string) => Buffer.from(text, 'base64url').length
  if (bytes(keys.p256dh) === 65 && bytes(keys.auth) >= 16) return
  throw new Fault('request.malformed', 'keys: expected those of a push subscription', { field: 'keys' })
}

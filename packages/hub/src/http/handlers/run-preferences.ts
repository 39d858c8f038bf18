import { RunArchived, RunLooking, RunMuted, RunSeen, RunTitle } from '@farhand/protocol/schemas/api'
import { NewPushSubscription } from '@farhand/protocol/schemas/push'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import { userByToken } from '../../access/tokens.ts'
import { whyAddressRefused } from '../../notify/outbound-post.ts'
import { addPushSubscription, removePushSubscription } from '../../store/push-subscriptions.ts'
import { noteAboutRun, noteSeen } from '../../store/runs.ts'
import { readJson } from '../exchange/body.ts'
import { answerJson, type Exchange, parse, userOf } from '../exchange/exchange.ts'
import { tokenOf } from '../exchange/token-cookie.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'

type Note = Parameters<typeof noteAboutRun>[2]

/** `PUT /api/runs/{run}/title` (W48). */
export const putRunTitle = (parts: HubParts, exchange: Exchange) =>
  note(parts, exchange, (said) => ({ title: parse(RunTitle, said).title }))

/** `PUT /api/runs/{run}/archived` (W48). */
export const putRunArchived = (parts: HubParts, exchange: Exchange) =>
  note(parts, exchange, (said) => ({ is_archived: parse(RunArchived, said).isArchived ? 1 : 0 }))

/** `PUT /api/runs/{run}/muted` (W49). */
export const putRunMuted = (parts: HubParts, exchange: Exchange) =>
  note(parts, exchange, (said) => ({ is_muted: parse(RunMuted, said).isMuted ? 1 : 0 }))

/** `PUT /api/runs/{run}/seen`: the user's other devices are notified (W56). */
export async function putRunSeen(parts: HubParts, { req, res, params, who }: Exchange): Promise<void> {
  const run = await parts.directory.anyRun(who!, params)
  const seen = parse(RunSeen, await readJson(req, parts.config.bodyTimeoutMs))
  if (await noteSeen(parts.db, run.id, seen)) parts.runChanges.touched(run.id)
  answerJson(res, 200, { ok: true })
}

/** `PUT /api/runs/{run}/looking`: a user who views a run gets no notification of it (W49). */
export async function putRunLooking(parts: HubParts, exchange: Exchange): Promise<void> {
  const run = await parts.directory.anyRun(exchange.who!, exchange.params)
  const { isLooking, client } = parse(RunLooking, await readJson(exchange.req, parts.config.bodyTimeoutMs))
  parts.viewers.say(run.id, client, isLooking, performance.now())
  answerJson(exchange.res, 200, { ok: true })
}

/** `GET /api/agents` (W48). */
export async function getAgents(parts: HubParts, { res, who }: Exchange): Promise<void> {
  answerJson(res, 200, await parts.agentsHere(userOf(who).user))
}

export function getPushKey(parts: HubParts, { res }: Exchange): void {
  answerJson(res, 200, { publicKey: parts.webPush.publicKey })
}

/** `POST /api/push/subscriptions`: the browser is notified as long as its current session lasts (W49). */
export async function postPushSubscription(parts: HubParts, { req, res }: Exchange): Promise<void> {
  const asked = parse(NewPushSubscription, await readJson(req, parts.config.bodyTimeoutMs))
  check(asked, parts.config.allowPrivateCalls)
  const known = await userByToken(parts.db, tokenOf(req)!)
  if (!known) throw new Fault('token.invalid', 'this token is not known here any more: sign in again')
  const of = { user: known.user.id, tokenId: known.tokenId }
  answerJson(res, 201, { id: await addPushSubscription(parts.db, of, asked, new Date()) })
}

export async function deletePushSubscription(parts: HubParts, { res, params, who }: Exchange): Promise<void> {
  await removePushSubscription(parts.db, userOf(who).user, params.id ?? '')
  answerJson(res, 200, { ok: true })
}

async function note(parts: HubParts, { req, res, params, who }: Exchange, read: (said: unknown) => Note) {
  const run = await parts.directory.anyRun(who!, params)
  await noteAboutRun(parts.db, run.id, read(await readJson(req, parts.config.bodyTimeoutMs)))
  parts.runChanges.touched(run.id)
  answerJson(res, 200, { ok: true })
}

/** Checked here: wrong keys would otherwise fail only at the first notification. */
function check({ endpoint, keys }: NewPushSubscription, allowPrivate: boolean): void {
  const why = whyAddressRefused(endpoint, allowPrivate)
  if (why !== null) throw malformed('endpoint', why)
  const bytes = (text: string) => Buffer.from(text, 'base64url').length
  if (bytes(keys.p256dh) === 65 && bytes(keys.auth) >= 16) return
  throw malformed('keys', 'expected those of a push subscription')
}

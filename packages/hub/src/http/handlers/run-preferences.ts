import { RunArchived, RunLooking, RunMuted, RunSeen, RunTitle } from '@farhand/protocol/schemas/api'
import { NewPushSubscription } from '@farhand/protocol/schemas/push'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import { userByToken } from '../../access/tokens.ts'
import { whyAddressRefused } from '../../notify/outbound-post.ts'
import { noteAboutRun, noteSeen, noteTitle } from '../../store/listing/run-preferences.ts'
import { addPushSubscription, removePushSubscription } from '../../store/push-subscriptions.ts'
import { readJson } from '../exchange/body.ts'
import { answerJson, type Exchange, parse, userOf } from '../exchange/exchange.ts'
import { tokenOf } from '../exchange/token-cookie.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'

type Note = Parameters<typeof noteAboutRun>[3]

/** `PUT /api/runs/{run}/title`: for all who see the run (W48). */
export async function putRunTitle(parts: HubParts, exchange: Exchange): Promise<void> {
  const run = await parts.directory.anyRun(exchange)
  const { title } = parse(RunTitle, await readJson(exchange.req, parts.config.bodyTimeoutMs))
  await noteTitle(parts.db, run.id, title)
  parts.runChanges.touched(run.id)
  answerJson(exchange.res, 200, { ok: true })
}

/** `PUT /api/runs/{run}/archived` (W48). */
export const putRunArchived = (parts: HubParts, exchange: Exchange) =>
  note(parts, exchange, (said) => ({ is_archived: parse(RunArchived, said).isArchived ? 1 : 0 }))

/** `PUT /api/runs/{run}/muted` (W49). */
export const putRunMuted = (parts: HubParts, exchange: Exchange) =>
  note(parts, exchange, (said) => ({ is_muted: parse(RunMuted, said).isMuted ? 1 : 0 }))

/** `PUT /api/runs/{run}/seen`: the user's other devices are notified (W56). */
export async function putRunSeen(parts: HubParts, exchange: Exchange): Promise<void> {
  const run = await parts.directory.anyRun(exchange)
  const seen = parse(RunSeen, await readJson(exchange.req, parts.config.bodyTimeoutMs))
  const isNews = await noteSeen(parts.db, run, userOf(exchange.who).user, seen)
  if (isNews) parts.runChanges.touched(run.id)
  answerJson(exchange.res, 200, { ok: true })
}

/** `PUT /api/runs/{run}/looking`: a user who views a run gets no notification of it (W49), and is shown to its readers (W115). */
export async function putRunLooking(parts: HubParts, exchange: Exchange): Promise<void> {
  const run = await parts.directory.anyRun(exchange)
  const said = parse(RunLooking, await readJson(exchange.req, parts.config.bodyTimeoutMs))
  const { client, isLooking, isTyping = false } = said
  const { user } = userOf(exchange.who)
  parts.viewers.say(run.id, { user, client, isLooking, isTyping }, performance.now())
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

async function note(parts: HubParts, exchange: Exchange, read: (said: unknown) => Note) {
  const run = await parts.directory.anyRun(exchange)
  const said = read(await readJson(exchange.req, parts.config.bodyTimeoutMs))
  await noteAboutRun(parts.db, run, userOf(exchange.who).user, said)
  parts.runChanges.touched(run.id)
  answerJson(exchange.res, 200, { ok: true })
}

/** Checked here: wrong keys would otherwise fail only at the first notification. */
function check({ endpoint, keys }: NewPushSubscription, allowPrivate: boolean): void {
  const why = whyAddressRefused(endpoint, allowPrivate)
  if (why !== null) throw malformed('endpoint', why)
  const bytes = (text: string) => Buffer.from(text, 'base64url').length
  if (bytes(keys.p256dh) === 65 && bytes(keys.auth) >= 16) return
  throw malformed('keys', 'expected those of a push subscription')
}

import type { IncomingMessage } from 'node:http'
import { SessionName, type SignedIn, SignInRequest } from '@farhand/protocol/schemas/sessions'
import { browserName } from '@farhand/protocol/text/browser-name'
import { Fault } from '@farhand/protocol/wire/faults'
import type { UserId } from '@farhand/protocol/wire/ids'
import {
  beginSession,
  endSession,
  listSessions,
  renameSession,
  type SessionStart,
  sessionName,
  sessionOfToken,
  wholeToken,
} from '../../access/sessions.ts'
import { makeSignInCode, useSignInCode } from '../../access/sign-in-codes.ts'
import { requireGoodToken } from '../../access/tokens.ts'
import { requireSamePassword } from '../../access/user-password.ts'
import type { Db } from '../../store/tables.ts'
import { attemptKeyOf } from '../connections/client-address.ts'
import { readJson } from '../exchange/body.ts'
import { answerJson, type Exchange, header, parse, userOf } from '../exchange/exchange.ts'
import { tokenCookie, tokenOf } from '../exchange/token-cookie.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { checkPassword, takesPasswords } from './account/check-password.ts'
import { endAccess } from './account/end-access.ts'
import { meOf } from './hub-info.ts'
import { tokenHolder } from './token-holder.ts'

// Clients without a token may call this, so the body must be small.
const signInBytes = 4096

export async function postSignInCode(parts: HubParts, { req, res, who }: Exchange): Promise<void> {
  const { user, device, session, tokenId } = userOf(who)
  // The local socket has no address, and only the user of the system who has the data folder opens it.
  const isOnMachine = req.socket.remoteAddress === undefined && session === null && device === null
  const made = await makeSignInCode(parts.db, user, new Date(), { tokenId, device, isOnMachine })
  answerJson(res, 201, { ...made, urls: parts.urls() })
}

/** `GET /api/sign-in`: whether the page may ask for a password over this connection (W72). */
export function getSignIn(parts: HubParts, { req, res }: Exchange): void {
  answerJson(res, 200, { password: takesPasswords(parts, req) })
}

/**
 * Looks once more at what a browser signs in with, in the transaction in which its session begins: it may have been revoked while it was
 * being checked.
 */
type SignsIn = (trx: Db, now: Date) => Promise<SessionStart>

/** `POST /api/sign-in`: the browser gets its own token: one half in a cookie that scripts cannot read, one half for the page. */
export async function postSignIn(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req, res } = exchange
  const asked = parse(SignInRequest, await readJson(req, parts.config.bodyTimeoutMs, signInBytes))
  const signsIn = await signingIn(parts, exchange, asked)
  const before = await sessionOf(parts, req)
  const lastsMs = parts.config.sessionHours * 3600_000
  const now = new Date()
  const token = await parts.db.transaction().execute(async (trx) => {
    const start = await signsIn(trx, now)
    // The same browser keeps the name that the user gave it.
    const named = before && (await sessionName(trx, start.user, before.session))
    const name = named ?? browserName(header(req, 'user-agent'))
    return await beginSession(trx, { ...start, name }, now, lastsMs)
  })
  // The old session of this browser could never be used again and would stay in the list.
  if (before) await end(parts, before)
  res.setHeader('Set-Cookie', tokenCookie(token.cookie, req, parts.config.publicUrl))
  const me = meOf(await parts.signIn.principal(wholeToken(token), undefined))
  answerJson(res, 200, { ...me, sessionKey: token.key } satisfies SignedIn)
}

async function signingIn(parts: HubParts, exchange: Exchange, asked: SignInRequest): Promise<SignsIn> {
  const { req } = exchange
  if ('code' in asked) return byCode(parts, asked.code, attemptKeyOf(req, parts.config.publicUrl))
  if ('token' in asked) return await byToken(parts, req, asked.token)
  const right = await checkPassword(parts, exchange, asked)
  return async (trx) => {
    await requireSamePassword(trx, right)
    return { user: right.user, begunBy: 'password' }
  }
}

async function byToken(parts: HubParts, req: IncomingMessage, token: string): Promise<SignsIn> {
  const who = await tokenHolder(parts, req, token)
  if (who.kind !== 'user') throw new Fault('token.invalid', "a runner's token does not sign a browser in")
  const { user, device, tokenId } = who
  return async (trx, now) => {
    await requireGoodToken(trx, tokenId, now)
    return { user, device }
  }
}

function byCode(parts: HubParts, code: string, address: string): SignsIn {
  // Not the machine's clock: setting it back would block users.
  const nowMs = performance.now()
  if (parts.failedCodes.isTooMany(address, nowMs))
    throw new Fault('code.too-often', 'too many wrong codes came from there; try again in a minute')
  return async (trx, now) => {
    const found = await useSignInCode(trx, code, now)
    if (found === null) {
      parts.failedCodes.note(address, nowMs)
      throw new Fault(
        'code.invalid',
        `this code was used before, or is older than ten minutes; "${parts.command} up" makes a new one`,
      )
    }
    const { user, device, tokenId, isOfMachine } = found
    if (tokenId !== null) await requireGoodToken(trx, tokenId, now)
    return { user, device, begunBy: isOfMachine ? 'machine' : null }
  }
}

/** `POST /api/sign-out`: succeeds also if the session has ended before. */
export async function postSignOut(parts: HubParts, { req, res }: Exchange): Promise<void> {
  const who = await sessionOf(parts, req)
  if (who) await end(parts, who)
  res.setHeader('Set-Cookie', tokenCookie(null, req, parts.config.publicUrl))
  answerJson(res, 200, {})
}

export async function getSessions(parts: HubParts, { res, who }: Exchange): Promise<void> {
  const { user, session } = userOf(who)
  answerJson(res, 200, { items: await listSessions(parts.db, user, session, new Date()), next: null })
}

/** `PUT /api/sessions/{session}/name` */
export async function putSessionName(parts: HubParts, { req, res, params, who }: Exchange): Promise<void> {
  const { name } = parse(SessionName, await readJson(req, parts.config.bodyTimeoutMs))
  if (!(await renameSession(parts.db, userOf(who).user, params.session ?? '', name, new Date())))
    throw noSession()
  answerJson(res, 200, { ok: true })
}

export async function deleteSession(parts: HubParts, { res, params, who }: Exchange): Promise<void> {
  const { user } = userOf(who)
  if (!(await end(parts, { user, session: params.session ?? '' }))) throw noSession()
  answerJson(res, 200, { ok: true })
}

const noSession = () => new Fault('session.unknown', 'you have no such session; it may have ended before')

/** Ends a session and its open streams at once, not only at the next check. */
async function end(parts: HubParts, { user, session }: { user: UserId; session: string }) {
  const isEnded = await endSession(parts.db, user, session, new Date())
  await endAccess(parts)
  return isEnded
}

/** The session of the browser that asks. One that has expired is among them: its browser is still notified. */
async function sessionOf({ db }: HubParts, req: IncomingMessage) {
  const token = tokenOf(req)
  return token === undefined ? null : await sessionOfToken(db, token)
}

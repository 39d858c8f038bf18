import type { IncomingMessage } from 'node:http'
import { browserInWords } from '@farhand/protocol/text/browser-name'
import { Fault } from '@farhand/protocol/wire/faults'
import { SessionName, type SignedIn, SignInRequest } from '@farhand/protocol/schemas/sessions'
import type { Principal } from '../../access/principal.ts'
import {
  beginSession,
  endSession,
  listSessions,
  renameSession,
  sessionName,
  wholeToken,
} from '../../access/sessions.ts'
import { isUnwelcome } from '../../access/sign-in.ts'
import { makeSignInCode, useSignInCode } from '../../access/sign-in-codes.ts'
import { guesserOf } from '../connections/client-address.ts'
import { answerJson, type Exchange, header, parse } from '../exchange/exchange.ts'
import { meOf } from './hub-info.ts'
import { readJson } from '../exchange/read-json.ts'
import type { Rooms } from '../hub-parts/hub-parts.ts'
import { tokenCookie, tokenOf } from '../exchange/token-cookie.ts'
import { tokenHolder } from './token-holder.ts'

// Anyone may try to sign in, so nobody gets to have a megabyte read and parsed.
const signInBytes = 4096

type User = Extract<Principal, { kind: 'user' }>

export async function postSignInCode(rooms: Rooms, { res, who }: Exchange): Promise<void> {
  const made = await makeSignInCode(rooms.db, (who as User).user, new Date())
  answerJson(res, 201, { ...made, urls: rooms.urls() })
}

/** `POST /api/sign-in`: the browser gets a token of its own, half in a cookie that scripts cannot read, half for the page to keep. */
export async function postSignIn(rooms: Rooms, { req, res }: Exchange): Promise<void> {
  const asked = parse(SignInRequest, await readJson(req, rooms.config.bodyTimeoutMs, signInBytes))
  const address = guesserOf(req, rooms.config.publicUrl)
  const user =
    'code' in asked ? await byCode(rooms, asked.code, address) : await byToken(rooms, req, asked.token)
  const before = await sessionOf(rooms, tokenOf(req))
  // It is the same browser: what its user called it is not asked for again.
  const named = before && (await sessionName(rooms.db, user, before.session))
  const name = named ?? browserInWords(header(req, 'user-agent'))
  const token = await beginSession(rooms.db, user, name, new Date())
  // Whoever signs in again would be in the list twice, and one of the two could never be used again.
  if (before) await end(rooms, before)
  res.setHeader('Set-Cookie', tokenCookie(token.cookie, req, rooms.config.publicUrl))
  const me = meOf(await rooms.signIn.principal(wholeToken(token), undefined))
  answerJson(res, 200, { ...me, sessionKey: token.key } satisfies SignedIn)
}

async function byToken(rooms: Rooms, req: IncomingMessage, token: string) {
  const who = await tokenHolder(rooms, req, token)
  if (who.kind !== 'user') throw new Fault('token.invalid', "a runner's token does not sign a browser in")
  return who.user
}

async function byCode(rooms: Rooms, code: string, address: string) {
  // Not by the clock of the machine: one that is set back would shut people out.
  const now = performance.now()
  if (rooms.wrongCodes.isTooMany(address, now))
    throw new Fault('code.too-often', 'too many wrong codes came from there; try again in a minute')
  const user = await useSignInCode(rooms.db, code, new Date())
  if (user !== null) return user
  rooms.wrongCodes.note(address, now)
  throw new Fault(
    'code.invalid',
    `this code was used before, or is older than ten minutes; "${rooms.command} up" makes a new one`,
  )
}

/** `POST /api/sign-out`: also if the session has ended before, as then there is nothing left to do. */
export async function postSignOut(rooms: Rooms, { req, res }: Exchange): Promise<void> {
  const who = await sessionOf(rooms, tokenOf(req))
  if (who) await end(rooms, who)
  res.setHeader('Set-Cookie', tokenCookie(null, req, rooms.config.publicUrl))
  answerJson(res, 200, {})
}

export async function getSessions(rooms: Rooms, { res, who }: Exchange): Promise<void> {
  const { user, session } = who as User
  answerJson(res, 200, { items: await listSessions(rooms.db, user, session, new Date()), next: null })
}

/** `PUT /api/sessions/{session}/name` */
export async function putSessionName(rooms: Rooms, { req, res, params, who }: Exchange): Promise<void> {
  const { name } = parse(SessionName, await readJson(req, rooms.config.bodyTimeoutMs))
  if (!(await renameSession(rooms.db, (who as User).user, params.session ?? '', name, new Date())))
    throw noSession()
  answerJson(res, 200, { ok: true })
}

export async function deleteSession(rooms: Rooms, { res, params, who }: Exchange): Promise<void> {
  const { user } = who as User
  if (!(await end(rooms, { user, session: params.session ?? '' }))) throw noSession()
  answerJson(res, 200, { ok: true })
}

const noSession = () => new Fault('session.unknown', 'you have no such session; it may have ended before')

/** Its streams end with it, and not some seconds later: whoever ends it wants to see nobody there. */
async function end(rooms: Rooms, { user, session }: { user: User['user']; session: string }) {
  const isEnded = await endSession(rooms.db, user, session, new Date())
  rooms.signIn.forget()
  await rooms.streams.endUnwelcome((token) => rooms.signIn.isGood(token))
  return isEnded
}

async function sessionOf(rooms: Rooms, token: string | undefined) {
  if (token === undefined) return null
  const who = await rooms.signIn.principal(token, undefined).catch((error: unknown) => {
    if (isUnwelcome(error)) return null
    throw error
  })
  return who?.kind === 'user' && who.session !== null ? { user: who.user, session: who.session } : null
}

import { createHash } from 'node:crypto'
import { SignInRequest } from '@farhand/protocol/api'
import { Fault } from '@farhand/protocol/faults'
import { openapi } from '@farhand/protocol/openapi'
import { answerJson, type Exchange, parse } from './exchange.ts'
import { homePage, homeScript } from './home-page.ts'
import { readJson } from './read-json.ts'
import type { Rooms } from './rooms.ts'
import { tokenCookie } from './token-cookie.ts'

// Anyone may try to sign in, so nobody gets to have a megabyte read and parsed.
const signInBytes = 4096

/** `GET /`: says that this is a hub and signs a browser in with the token behind the `#` of its link. */
export function getHome(_: Rooms, { res }: Exchange): void {
  const script = createHash('sha256').update(homeScript).digest('base64')
  res.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-${script}'; connect-src 'self'; frame-ancestors 'none'`,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  })
  res.end(homePage)
}

/** `POST /api/sign-in`: puts a valid token into a cookie that scripts cannot read. */
export async function postSignIn(rooms: Rooms, { req, res }: Exchange): Promise<void> {
  const { token } = parse(SignInRequest, await readJson(req, rooms.config.bodyTimeoutMs, signInBytes))
  const who = await rooms.signIn.principal(token, undefined)
  if (who.kind !== 'user') throw new Fault('token.invalid', "a runner's token does not sign a browser in")
  res.setHeader('Set-Cookie', tokenCookie(token, rooms.config.publicUrl))
  answerJson(res, 200, { user: who.user, name: who.name, role: who.role })
}

export function postSignOut(rooms: Rooms, { res }: Exchange): void {
  res.setHeader('Set-Cookie', tokenCookie(null, rooms.config.publicUrl))
  answerJson(res, 200, {})
}

export function getMe(_: Rooms, { res, who }: Exchange): void {
  const { author: _author, kind: _kind, ...said } = who!
  answerJson(res, 200, said)
}

let document: unknown

export function getOpenapi(_: Rooms, { res }: Exchange): void {
  // Made from every schema there is: too much work to do again for whoever asks.
  document ??= openapi()
  answerJson(res, 200, document)
}

/** Alive: the process answers. */
export function getHealth(_: Rooms, { res }: Exchange): void {
  answerJson(res, 200, { ok: true })
}

/** Ready: it takes work, until it is asked to stop. */
export function getReady(rooms: Rooms, { res }: Exchange): void {
  if (!rooms.ready()) throw new Fault('hub.stopping', 'this hub is stopping; try again shortly')
  answerJson(res, 200, { ok: true })
}

export async function getMetrics(rooms: Rooms, { res }: Exchange): Promise<void> {
  const text = await rooms.metrics.text()
  res.writeHead(200, { 'Content-Type': rooms.metrics.contentType, 'Cache-Control': 'no-store' })
  res.end(text)
}

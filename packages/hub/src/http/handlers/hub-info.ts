import { openapi } from '@farhand/protocol/endpoints/openapi'
import type { Me } from '@farhand/protocol/schemas/api'
import { Fault } from '@farhand/protocol/wire/faults'
import type { Principal } from '../../access/principal.ts'
import { answerJson, type Exchange } from '../exchange/exchange.ts'
import { renewCookie } from '../exchange/token-cookie.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'

/** The answer of `GET /api/me` for this caller. */
export function meOf(who: Principal): Me {
  if (who.kind === 'runner') return { run: who.run, generation: who.generation }
  if (who.kind === 'guest') throw new Error('the route let in a guest')
  const { user, name, role } = who
  return { user, name, role }
}

export function getMe(parts: HubParts, { req, res, who }: Exchange): void {
  if (who?.kind === 'user' && who.session !== null) renewCookie(req, res, parts.config.publicUrl)
  answerJson(res, 200, meOf(who!))
}

let document: unknown

export function getOpenapi(_: HubParts, { res }: Exchange): void {
  // Made from all schemas, once: repeating it for each request would be too much work.
  document ??= openapi()
  answerJson(res, 200, document)
}

/** Liveness: the process answers. */
export function getHealth(_: HubParts, { res }: Exchange): void {
  answerJson(res, 200, { ok: true })
}

/** Readiness: the hub accepts requests until it is asked to stop. */
export function getReady(parts: HubParts, { res }: Exchange): void {
  if (!parts.ready()) throw new Fault('hub.stopping', 'this hub is stopping; try again shortly')
  answerJson(res, 200, { ok: true })
}

export async function getMetrics(parts: HubParts, { res }: Exchange): Promise<void> {
  const text = await parts.metrics.text()
  res.writeHead(200, { 'Content-Type': parts.metrics.contentType, 'Cache-Control': 'no-store' })
  res.end(text)
}

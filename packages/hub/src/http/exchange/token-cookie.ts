import type { IncomingMessage, ServerResponse } from 'node:http'
import { sessionKeyHeader } from '@farhand/protocol/wire/session-key'
import { wholeToken } from '../../access/sessions.ts'
import { header } from './exchange.ts'

const yearSeconds = 365 * 24 * 3600

/** Browsers share cookies between all ports of a host, so the name has the port: two hubs must not overwrite each other's cookie. */
function nameFor(req: IncomingMessage): string {
  const port = /:(\d+)$/.exec(header(req, 'host') ?? '')?.[1]
  return port === undefined ? 'farhand' : `farhand_${port}`
}

/** The `Set-Cookie` value with the cookie's half of a token, or, with null, one that removes it. Other sites and scripts cannot use it. */
export function tokenCookie(
  token: string | null,
  req: IncomingMessage,
  publicUrl: string | undefined,
): string {
  // The browser's `Origin` shows whether it uses TLS, also behind a proxy that is not in the hub's settings.
  const isSecure = [publicUrl, header(req, 'origin')].some((url) => url?.startsWith('https:'))
  const secure = isSecure ? '; Secure' : ''
  // Browsers send the cookie to other ports of this machine too, but not the page's half of the token.
  const rest = `Path=/api; HttpOnly; SameSite=Strict; Max-Age=${token === null ? 0 : yearSeconds}${secure}`
  return `${nameFor(req)}=${token === null ? '' : encodeURIComponent(token)}; ${rest}`
}

/** Sets a browser's cookie again, so that it does not expire while in use. Requests with a bearer token have none. */
export function renewCookie(req: IncomingMessage, res: ServerResponse, publicUrl: string | undefined): void {
  const half = header(req, 'authorization') === undefined ? cookieHalf(req) : undefined
  if (half !== undefined) res.setHeader('Set-Cookie', tokenCookie(half, req, publicUrl))
}

const bearerOf = (req: IncomingMessage) => /^Bearer +(\S+)$/i.exec(header(req, 'authorization') ?? '')?.[1]

/** Whether a request has a bearer token. Its cookie is then ignored, and no page of another site can have sent it. */
export const hasBearer = (req: IncomingMessage) => bearerOf(req) !== undefined

/** The token of a request: from its Authorization header, or else from its cookie and the page's half. */
export function tokenOf(req: IncomingMessage): string | undefined {
  const bearer = bearerOf(req)
  if (bearer !== undefined) return bearer
  const [cookie, key] = [cookieHalf(req), header(req, sessionKeyHeader)]
  return cookie && key ? wholeToken({ cookie, key }) : undefined
}

function cookieHalf(req: IncomingMessage): string | undefined {
  const name = nameFor(req)
  for (const part of (header(req, 'cookie') ?? '').split(';')) {
    const [key, value] = part.trim().split('=')
    if (key === name && value) return safeDecode(value)
  }
  return undefined
}

function safeDecode(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    // Not a cookie of ours: no token is the right answer, not an error.
    return undefined
  }
}

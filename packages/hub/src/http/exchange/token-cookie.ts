import type { IncomingMessage, ServerResponse } from 'node:http'
import { sessionKeyHeader } from '@farhand/protocol/wire/session-key'
import { wholeToken } from '../../access/sessions.ts'
import { header } from './exchange.ts'

const yearSeconds = 365 * 24 * 3600

/** Browsers keep one jar for all ports of a host: two hubs on one machine must not sign each other's users out. */
function nameFor(req: IncomingMessage): string {
  const port = /:(\d+)$/.exec(header(req, 'host') ?? '')?.[1]
  return port === undefined ? 'farhand' : `farhand_${port}`
}

/** The cookie that carries its half of a token, or that takes it away. Not sent along by other sites, not seen by scripts. */
export function tokenCookie(
  token: string | null,
  req: IncomingMessage,
  publicUrl: string | undefined,
): string {
  // A browser that signs in says how it came: a proxy may have ended TLS that nobody told the hub of.
  const isSecure = [publicUrl, header(req, 'origin')].some((url) => url?.startsWith('https:'))
  const secure = isSecure ? '; Secure' : ''
  // Servers at other ports of this machine are sent it, too. The page's half of the token is not.
  const rest = `Path=/api; HttpOnly; SameSite=Strict; Max-Age=${token === null ? 0 : yearSeconds}${secure}`
  return `${nameFor(req)}=${token === null ? '' : encodeURIComponent(token)}; ${rest}`
}

/** Gives a browser its cookie again, so that one that is in use does not run out; those who come by a token have none. */
export function renewCookie(req: IncomingMessage, res: ServerResponse, publicUrl: string | undefined): void {
  const half = header(req, 'authorization') === undefined ? cookieHalf(req) : undefined
  if (half !== undefined) res.setHeader('Set-Cookie', tokenCookie(half, req, publicUrl))
}

const bearerOf = (req: IncomingMessage) => /^Bearer +(\S+)$/i.exec(header(req, 'authorization') ?? '')?.[1]

/** Whether a request says its token itself: then its cookie means nothing, and no page of another site can have made it. */
export const hasBearer = (req: IncomingMessage) => bearerOf(req) !== undefined

/** The token of a request, from its Authorization header, or else from its cookie and what the page keeps. */
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

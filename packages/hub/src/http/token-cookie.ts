import type { IncomingMessage, ServerResponse } from 'node:http'
import { header } from './exchange.ts'

const yearSeconds = 365 * 24 * 3600

/** Browsers keep one jar for all ports of a host: two hubs on one machine must not sign each other's users out. */
function nameFor(req: IncomingMessage): string {
  const port = /:(\d+)$/.exec(header(req, 'host') ?? '')?.[1]
  return port === undefined ? 'farhand' : `farhand_${port}`
}

/** The cookie that carries a token, or that takes it away. Not sent along by other sites, not seen by scripts. */
export function tokenCookie(
  token: string | null,
  req: IncomingMessage,
  publicUrl: string | undefined,
): string {
  // A browser that signs in says how it came: a proxy may have ended TLS that nobody told the hub of.
  const isSecure = [publicUrl, header(req, 'origin')].some((url) => url?.startsWith('https:'))
  const secure = isSecure ? '; Secure' : ''
  // Whoever else has a port of this machine is sent it, too; at least not with every page.
  const rest = `Path=/api; HttpOnly; SameSite=Strict; Max-Age=${token === null ? 0 : yearSeconds}${secure}`
  return `${nameFor(req)}=${token === null ? '' : encodeURIComponent(token)}; ${rest}`
}

/** Gives a browser its cookie again, so that one that is in use does not run out; those who come by a token have none. */
export function renewCookie(req: IncomingMessage, res: ServerResponse, publicUrl: string | undefined): void {
  const token = header(req, 'authorization') === undefined ? tokenOf(req) : undefined
  if (token !== undefined) res.setHeader('Set-Cookie', tokenCookie(token, req, publicUrl))
}

/** The token of a request, from its Authorization header or else its cookie. */
export function tokenOf(req: IncomingMessage): string | undefined {
  const said = header(req, 'authorization') ?? ''
  const bearer = /^Bearer +(\S+)$/i.exec(said)
  if (bearer) return bearer[1]
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

import type { IncomingMessage } from 'node:http'
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
  const secure = publicUrl?.startsWith('https:') ? '; Secure' : ''
  const rest = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${token === null ? 0 : yearSeconds}${secure}`
  return `${nameFor(req)}=${token === null ? '' : encodeURIComponent(token)}; ${rest}`
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

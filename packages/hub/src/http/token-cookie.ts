import type { IncomingMessage } from 'node:http'
import { header } from './exchange.ts'

const name = 'farhand'
const yearSeconds = 365 * 24 * 3600

/** The cookie that carries a token, or that takes it away. Not sent along by other sites, not seen by scripts. */
export function tokenCookie(token: string | null, publicUrl: string | undefined): string {
  const secure = publicUrl?.startsWith('https:') ? '; Secure' : ''
  const rest = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${token === null ? 0 : yearSeconds}${secure}`
  return `${name}=${token === null ? '' : encodeURIComponent(token)}; ${rest}`
}

/** The token of a request, from its Authorization header or else its cookie. */
export function tokenOf(req: IncomingMessage): string | undefined {
  const said = header(req, 'authorization') ?? ''
  const bearer = /^Bearer +(\S+)$/i.exec(said)
  if (bearer) return bearer[1]
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

import type { IncomingMessage } from 'node:http'
import { addressGroup } from './connection-limits.ts'

type Asking = Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } }

export const isLoopback = (address: string) => /^(::ffff:)?127\.|^::1$/.test(address)

/**
 * The address of the client. Behind a proxy on this machine all requests come from one address, and one client that guesses tokens
 * would block all others. Then it is the last entry of `X-Forwarded-For`, which the proxy adds; a client can forge the others.
 */
export function clientAddress(req: Asking, publicUrl: string | undefined): string {
  const { remoteAddress = '' } = req.socket
  if (publicUrl === undefined || !isLoopback(remoteAddress)) return remoteAddress
  const said = req.headers['x-forwarded-for']
  const last = (Array.isArray(said) ? said.at(-1) : said)?.split(',').at(-1)?.trim()
  return last || remoteAddress
}

/** The key under which failed tokens and codes are counted: one for a whole IPv6 network, as a client has many addresses in it. */
export const attemptKeyOf = (req: Asking, publicUrl: string | undefined): string =>
  addressGroup(clientAddress(req, publicUrl))

import type { IncomingMessage } from 'node:http'
import { addressGroup } from './connection-limits.ts'

type Asking = Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } }

export const isLoopback = (address: string) => /^(::ffff:)?127\.|^::1$/.test(address)

/**
 * From where somebody asks. By a proxy on this machine, of which its operator told us, all come from the same address, and one who
 * guesses would shut out all others: then it is what the proxy itself has put last. Whatever stands before that anybody can say.
 */
export function clientAddress(req: Asking, publicUrl: string | undefined): string {
  const { remoteAddress = '' } = req.socket
  if (publicUrl === undefined || !isLoopback(remoteAddress)) return remoteAddress
  const said = req.headers['x-forwarded-for']
  const last = (Array.isArray(said) ? said.at(-1) : said)?.split(',').at(-1)?.trim()
  return last || remoteAddress
}

/** Under which name wrong tokens and codes are counted: who has a network of version 6 must not guess from each address of it. */
export const attemptKeyOf = (req: Asking, publicUrl: string | undefined): string =>
  addressGroup(clientAddress(req, publicUrl))

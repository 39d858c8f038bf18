import type { IncomingMessage } from 'node:http'

const isLoopback = (address: string) => /^(::ffff:)?127\.|^::1$/.test(address)

/**
 * From where somebody asks. By a proxy on this machine, of which its operator told us, all come from the same address, and one who
 * guesses would shut out all others: then it is what the proxy itself has put last. Whatever stands before that anybody can say.
 */
export function askerAddress(
  req: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } },
  publicUrl: string | undefined,
): string {
  const { remoteAddress = '' } = req.socket
  if (publicUrl === undefined || !isLoopback(remoteAddress)) return remoteAddress
  const said = req.headers['x-forwarded-for']
  const last = (Array.isArray(said) ? said.at(-1) : said)?.split(',').at(-1)?.trim()
  return last || remoteAddress
}

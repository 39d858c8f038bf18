import type { IncomingMessage } from 'node:http'
import { header } from '../exchange/exchange.ts'
import { isLoopback } from './client-address.ts'

const passedOn = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via']

/**
 * Whether the request comes from the hub's own machine. Behind a proxy on that machine all requests seem to: then a public URL is set,
 * or the proxy has added one of these headers.
 */
export function isFromThisMachine(req: IncomingMessage, publicUrl: string | undefined): boolean {
  const { remoteAddress } = req.socket
  if (passedOn.some((name) => header(req, name) !== undefined)) return false
  return remoteAddress === undefined || (publicUrl === undefined && isLoopback(remoteAddress))
}

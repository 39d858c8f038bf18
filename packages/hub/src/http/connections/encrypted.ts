import type { IncomingMessage } from 'node:http'
import { header } from '../exchange/exchange.ts'
import { isLoopback } from './client-address.ts'
import { isFromThisMachine } from './from-this-machine.ts'

/**
 * Whether what the client sends cannot be read by others in the network: it is on this machine, or reached the hub by https. The hub
 * itself has no TLS, so a proxy tells, the browser does, or the hub's public URL.
 */
export function isEncrypted(req: IncomingMessage, publicUrl: string | undefined): boolean {
  const told = header(req, 'x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase()
  if (told !== undefined) return told === 'https'
  if (isFromThisMachine(req, publicUrl)) return true
  // `OriginCheck` has let it pass, so it is the hub's own.
  if (header(req, 'origin')?.startsWith('https:')) return true
  if (!publicUrl?.startsWith('https:')) return false
  // A proxy that tells nothing, on this machine or elsewhere; a client that comes directly names the hub's own address.
  return isLoopback(req.socket.remoteAddress ?? '') || header(req, 'host') === new URL(publicUrl).host
}

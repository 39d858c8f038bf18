import { Fault, malformed } from '@farhand/protocol/wire/faults'
import type { WebSocket } from 'ws'
import { deviceOf } from '../../access/device-of.ts'
import { closeCodes, type Wire } from '../../collab/device-lines.ts'
import { type Exchange, userOf } from '../exchange/exchange.ts'
import { tokenOf } from '../exchange/token-cookie.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { offeredDeviceSocket } from './device-socket-offer.ts'

/** `WS /acp/ws`: the socket of a device (W100). */
export async function getDeviceSocket(parts: HubParts, { req, res, who }: Exchange): Promise<void> {
  const { user } = userOf(who)
  const device = deviceOf(who!)
  const accept = offeredDeviceSocket(res)
  if (!accept) throw malformed('upgrade', 'this address is a WebSocket: connect with a client for these')
  if (device === null)
    throw new Fault(
      'device.refused',
      'connect with the token of a device; "farhand bind" binds this computer',
    )
  const token = tokenOf(req)!
  // The answer may be remembered for some seconds, and a socket stays for days.
  if (!(await parts.signIn.isGood(token))) throw new Fault('token.revoked', 'this token was taken away')
  const { lines } = parts.collab
  lines.mayOpen({ user, device })
  accept((socket) => {
    const line = lines.open({ user, device }, wireOf(socket))
    const stream = {
      onClose: () => {},
      tick: () => {},
      reconnect: () => line.end(closeCodes.stopping, 'this hub is stopping; connect again'),
      leave: () => line.end(closeCodes.revoked, 'this token is not valid any more'),
    }
    parts.streams.add(stream, token)
    socket.on('message', (data, isBinary) => line.heard(isBinary ? null : String(data)))
    socket.on('pong', () => line.alive())
    socket.on('ping', () => line.alive())
    // A frame that is too large, or no frame at all: the library closes the socket.
    socket.on('error', () => {})
    socket.on('close', () => {
      line.gone()
      stream.onClose()
    })
  })
}

/** A device that is gone does not answer the closing: its socket must not stay. */
const closeMs = 2_000

const wireOf = (socket: WebSocket): Wire => ({
  send: (text) => socket.send(text),
  ping: () => socket.ping(),
  close(code, reason) {
    socket.close(code, reason)
    const timer = setTimeout(() => socket.terminate(), closeMs)
    timer.unref()
    socket.once('close', () => clearTimeout(timer))
  },
  destroy: () => socket.terminate(),
  waiting: () => socket.bufferedAmount,
})

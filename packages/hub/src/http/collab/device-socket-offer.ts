import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { frameLimits } from '@farhand/protocol/schemas/device-frames'
import { paths } from '@farhand/protocol/wire/routes'
import { type WebSocket, WebSocketServer } from 'ws'
import { header } from '../exchange/exchange.ts'

type Accept = (use: (socket: WebSocket) => void) => void

const offers = new WeakMap<ServerResponse, Accept>()

const sockets = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  maxPayload: frameLimits.bytes,
  // A small frame that unpacks to a large one would pass the limit of what was sent.
  perMessageDeflate: false,
})

/** Whether a request asks for the socket of a device (W100). */
export const asksForDeviceSocket = (req: IncomingMessage): boolean =>
  req.method === 'GET' &&
  req.url!.split('?')[0] === paths.deviceSocket() &&
  (header(req, 'upgrade') ?? '').toLowerCase() === 'websocket' &&
  header(req, 'sec-websocket-version') === '13' &&
  /^[\w+/]{22}==$/.test(header(req, 'sec-websocket-key') ?? '')

/** A response object for such a request, so that it is checked like any other. A refusal is sent as HTTP, and ends the connection. */
export function answerOnDevice(req: IncomingMessage, socket: Socket, rest: Buffer): ServerResponse {
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  res.once('finish', () => socket.end())
  socket.on('error', () => {})
  offers.set(res, (use) => {
    // Only for the log of requests: the library writes the response itself.
    res.statusCode = 101
    res.detachSocket(socket)
    sockets.handleUpgrade(req, socket, rest, use)
  })
  return res
}

/** How to accept the socket of a device; null if the request did not ask for one. */
export const offeredDeviceSocket = (res: ServerResponse): Accept | null => offers.get(res) ?? null

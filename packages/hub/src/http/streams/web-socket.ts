import { createHash } from 'node:crypto'
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { sessionKeyHeader } from '@farhand/protocol/wire/session-key'
import { keyProtocol, streamProtocol } from '@farhand/protocol/wire/stream-socket'
import { header } from '../exchange/exchange.ts'

/** A stream sent as WebSocket messages: browsers allow only six HTTP connections to a host, and WebSockets do not count. */
export type OfferedSocket = {
  accept(): void
  end(): void
}

/** Fixed by RFC 6455. */
const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const closing = Buffer.from([0x88, 0x00])
const offers = new WeakMap<ServerResponse, OfferedSocket>()

/** The WebSocket of a response, if the client asked for one. */
export const offeredSocket = (res: ServerResponse): OfferedSocket | null => offers.get(res) ?? null

const listOf = (req: IncomingMessage, name: string) =>
  (header(req, name) ?? '').split(',').map((one) => one.trim())

/** Whether a request asks for one of our streams as a WebSocket. Any other `Upgrade` is ignored. */
export function asksForStream(req: IncomingMessage): boolean {
  return (
    req.method === 'GET' &&
    (header(req, 'upgrade') ?? '').toLowerCase() === 'websocket' &&
    header(req, 'sec-websocket-version') === '13' &&
    /^[\w+/]{22}==$/.test(header(req, 'sec-websocket-key') ?? '') &&
    listOf(req, 'sec-websocket-protocol').includes(streamProtocol)
  )
}

/**
 * A response object for such a request, for the same handlers as any other. A page cannot set headers here, so its key is among the
 * protocols and its cursor in the query. A refusal is sent as HTTP, and the connection ends with it.
 */
export function answerOn(req: IncomingMessage, socket: Socket): ServerResponse {
  const protocols = listOf(req, 'sec-websocket-protocol')
  const key = protocols.find((one) => one.startsWith(keyProtocol))
  if (key !== undefined) req.headers[sessionKeyHeader] = key.slice(keyProtocol.length)
  req.headers.accept = 'text/event-stream'
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  res.once('finish', () => socket.end())
  socket.on('error', () => {})
  // Readers send nothing but the closing message, so any data ends the connection.
  socket.on('data', () => socket.end())
  socket.resume()
  offers.set(res, {
    accept() {
      const accepted = createHash('sha1')
        .update(header(req, 'sec-websocket-key') + guid)
        .digest('base64')
      const lines = [
        'HTTP/1.1 101 Switching Protocols',
        'Upgrade: websocket',
        'Connection: Upgrade',
        `Sec-WebSocket-Accept: ${accepted}`,
        `Sec-WebSocket-Protocol: ${streamProtocol}`,
      ]
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    },
    end: () => socket.end(closing),
  })
  return res
}

const notPassedOn = new Set(['upgrade', 'http2-settings'])

/**
 * The bytes of the request without its `Upgrade` header, to be parsed again as a normal request. `isLast`: the connection ends after
 * its response.
 */
export function withoutOffer(
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  isLast: boolean,
): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at]!, rawHeaders[at + 1]!]
    if (notPassedOn.has(name.toLowerCase())) continue
    if (name.toLowerCase() !== 'connection') lines.push(`${name}: ${value}`)
    else if (isLast || /\bclose\b/i.test(value)) lines.push('Connection: close')
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

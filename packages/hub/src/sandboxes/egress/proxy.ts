import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { pipeBothWays } from '@farhand/kit/pipe-both-ways'
import { connectDestination, type Destination, urlDestination } from './destination.ts'
import { inWords, type OutsideConnections } from './outside-connections.ts'
import { passedHeaders } from './passed-headers.ts'
import { answerPlainly, answerRawly } from './plain-answer.ts'

export type ProxyOptions = {
  reach: OutsideConnections
  /** Answers requests to the proxy itself; false if this is none. */
  answerOwn: (req: IncomingMessage, res: ServerResponse) => boolean
}

const mostClients = 512
const noProxyRequest = {
  status: 400,
  words: 'This is a proxy: it takes CONNECT host:port, and requests for http://host/path.',
}

/** A forward proxy for HTTP/1.1. `reach` alone decides which targets are allowed; the `Host` header is ignored. */
export function makeProxy({ reach, answerOwn }: ProxyOptions): Server {
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000, requireHostHeader: false })
  server.maxConnections = mostClients
  server.on('request', (req, res) => {
    // An error of a connection ends it, and must never end the hub's process.
    res.on('error', () => {})
    if (!answerOwn(req, res)) forward(reach, req, res).catch(() => res.destroy())
  })
  server.on('connect', (req, socket, head) => {
    tunnel(reach, req, socket, head).catch(() => socket.destroy())
  })
  server.on('upgrade', (req, socket, head) => {
    switched(reach, req, socket, head).catch(() => socket.destroy())
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  return server
}

async function tunnel(
  reach: OutsideConnections,
  { url = '' }: IncomingMessage,
  client: Duplex,
  head: Buffer,
) {
  client.on('error', () => {})
  const to = connectDestination(url)
  if (!to) return answerRawly(client, noProxyRequest)
  const there = await reach.to(to)
  if ('status' in there) return answerRawly(client, there)
  client.write('HTTP/1.1 200 Connection established\r\n\r\n')
  there.write(head)
  pipeBothWays(client, there)
}

async function forward(reach: OutsideConnections, req: IncomingMessage, res: ServerResponse) {
  const wanted = wantedBy(req)
  if (!wanted) return answerPlainly(res, noProxyRequest)
  const there = await reach.to(wanted.to)
  if ('status' in there) return answerPlainly(res, there)
  if (res.destroyed) return there.destroy()
  const chunked = 'transfer-encoding' in req.headers ? ['Transfer-Encoding', 'chunked'] : []
  const sent = ask(wanted.url, req, there, ['Connection', 'close', ...chunked])
  res.on('close', () => sent.destroy())
  sent.on('error', () => answerPlainly(res, cutOff(wanted.to)))
  sent.on('response', (answer) => {
    res.writeHead(answer.statusCode!, answer.statusMessage!, passedHeaders(answer.rawHeaders))
    pipeline(answer, res, () => {})
  })
  // Not a pipeline: that would close the client's connection when the server stops reading the request early.
  req.pipe(sent)
}

/** Handles a request with `Upgrade`, such as for a WebSocket. If the server accepts, both connections are joined; else it is a normal response. */
async function switched(reach: OutsideConnections, req: IncomingMessage, client: Duplex, head: Buffer) {
  client.on('error', () => {})
  const wanted = wantedBy(req)
  if (!wanted) return answerRawly(client, noProxyRequest)
  if ('transfer-encoding' in req.headers || Number(req.headers['content-length'] ?? 0) > 0)
    return answerRawly(client, {
      status: 501,
      words: 'A request with a body cannot change the protocol here.',
    })
  const there = await reach.to(wanted.to)
  if ('status' in there) return answerRawly(client, there)
  if (client.destroyed) return there.destroy()
  const sent = ask(wanted.url, req, there, ['Connection', 'Upgrade', 'Upgrade', req.headers.upgrade ?? ''])
  client.on('close', () => sent.destroy())
  sent.on('error', () => answerRawly(client, cutOff(wanted.to)))
  sent.on('upgrade', (answer, line, first) => {
    client.write(headOf(answer, answer.rawHeaders))
    client.write(first)
    line.write(head)
    pipeBothWays(client, line)
  })
  sent.on('response', (answer) => {
    client.write(headOf(answer, [...passedHeaders(answer.rawHeaders), 'Connection', 'close']))
    pipeline(answer, client, () => {})
  })
  sent.end()
}

function wantedBy({ url = '' }: IncomingMessage): { url: URL; to: Destination } | null {
  if (!/^http:\/\//i.test(url) || !URL.canParse(url)) return null
  const parsed = new URL(url)
  const to = urlDestination(parsed)
  return to && { url: parsed, to }
}

function ask(
  url: URL,
  { method, rawHeaders }: IncomingMessage,
  there: Socket,
  more: string[],
): ClientRequest {
  const passed = passedHeaders(rawHeaders, ['host', 'expect'])
  return request({
    method: method!,
    path: `${url.pathname}${url.search}`,
    headers: ['Host', url.host, ...passed, ...more],
    createConnection: () => there,
  })
}

function headOf({ statusCode, statusMessage }: IncomingMessage, headers: readonly string[]): string {
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}\r\n`] : []))
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}\r\n`
}

const cutOff = (to: Destination) => ({ status: 502, words: `${inWords(to)} broke off without an answer.` })

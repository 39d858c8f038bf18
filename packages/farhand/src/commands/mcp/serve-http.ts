import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as WebStream } from 'node:stream/web'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  originValidationResponse,
} from '@modelcontextprotocol/server'

export type HttpParts = {
  port: number
  token: string
  make: () => McpServer
  stop: AbortSignal
  /** Called with the address once requests are answered. */
  onListening: (url: string) => void
}

const mostBodyBytes = 1024 * 1024
const route = '/mcp'

/**
 * Serves the tools on loopback until `stop`. Pages in a browser of this machine could send requests too, by a name that they let point here: so
 * the host and the origin must be of this machine, and every request needs the token.
 */
export async function serveHttp({ port, token, make, stop, onListening }: HttpParts): Promise<void> {
  const handler = createMcpHandler(make, { maxRequestBodySize: mostBodyBytes })
  const answer = async (request: Request): Promise<Response> => {
    const refused =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins())
    if (refused) return refused
    if (new URL(request.url).pathname !== route)
      return new Response('Not found: the address is /mcp.\n', { status: 404 })
    if (!isToken(request.headers.get('authorization'), token))
      return new Response('The header Authorization must have the token that the server printed.\n', {
        status: 401,
        headers: { 'www-authenticate': 'Bearer' },
      })
    return await handler.fetch(request)
  }
  const server = createServer((request, response) => {
    serve(request, response, answer).catch(() => response.destroy())
  })
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve)
    })
    onListening(`http://127.0.0.1:${(server.address() as AddressInfo).port}${route}`)
    await new Promise<void>((resolve) => {
      if (stop.aborted) resolve()
      stop.addEventListener('abort', () => resolve(), { once: true })
    })
  } finally {
    await handler.close()
    server.closeAllConnections()
    server.close()
  }
}

function isToken(header: string | null, token: string): boolean {
  const given = Buffer.from(header?.replace(/^Bearer /i, '') ?? '')
  const wanted = Buffer.from(token)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const response = await answer(requestOf(incoming, gone.signal))
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (!response.body) return void outgoing.end()
  outgoing.flushHeaders()
  await pipeline(Readable.fromWeb(response.body as WebStream), outgoing)
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  const { method = 'GET', url = '/' } = incoming
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(new URL(url, 'http://127.0.0.1'), {
    method,
    headers,
    signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
  } as RequestInit)
}

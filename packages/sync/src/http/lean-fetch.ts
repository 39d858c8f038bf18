import { type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http'
import { Agent, request as overHttps } from 'node:https'
import type { Fetch } from '@farhand/client/requests/hub'
import { HttpConnection } from './http-connection.ts'
import { LeanBody } from './lean-body.ts'
import { shortSocketPath } from './short-socket-path.ts'

type Answer = { status: number; statusText: string; header: (name: string) => string | null; body: LeanBody }
type RequestParts = { where: URL; method: string; headers: Record<string, string>; socket: string | null }

/**
 * What the client asks of `fetch`, in a form that costs Node a fraction of the real one. What is in memory and goes
 * over plain HTTP takes the shortest way; files and HTTPS the one that Node knows.
 */
export const leanFetch: Fetch = fetchBy(null)

/**
 * The same by way of a socket on this machine, with any host in the address: there is nothing else behind it. Over that
 * it is always plain HTTP.
 */
export const socketFetch = (path: string): Fetch => fetchBy(shortSocketPath(path))

function fetchBy(socket: string | null): Fetch {
  const fetch = (url: string, init?: RequestInit) => lean(url, init, socket)
  return Object.assign(fetch as typeof globalThis.fetch, { takesPieces: true as const })
}

function lean(url: string, init: RequestInit = {}, socket: string | null): Promise<Response> {
  const { signal, body = null, method = 'GET' } = init
  if (signal?.aborted) return Promise.reject(signal.reason)
  const bytes = body instanceof Blob ? body : inPieces(body as Body)
  const headers = { ...(init.headers as Record<string, string>) }
  if (bytes) headers['content-length'] = String(bytes instanceof Blob ? bytes.size : lengthOf(bytes))
  else if (method !== 'GET') headers['content-length'] = '0'
  const parts = { where: new URL(url), method, headers, socket }
  return new Promise<Response>((resolve, reject) => {
    let answered: LeanBody | null = null
    const onAbort = () => {
      // First: the error of the closed connection would hide the reason.
      failed(signal?.reason)
      destroy()
    }
    const over = () => signal?.removeEventListener('abort', onAbort)
    const failed = (why: unknown) => {
      over()
      answered?.fail(why)
      reject(why)
    }
    const on: On = {
      answered(answer) {
        answered = answer.body
        resolve(responseOf(answer))
      },
      over,
      failed,
    }
    const isPlain = (socket !== null || parts.where.protocol === 'http:') && !(bytes instanceof Blob)
    const destroy = isPlain ? askConnection(parts, bytes, on) : askNode(parts, bytes, on)
    signal?.addEventListener('abort', onAbort)
  })
}

type Body = string | Uint8Array | readonly Uint8Array[] | null

function inPieces(body: Body): readonly Uint8Array[] | null {
  if (typeof body === 'string') return [Buffer.from(body)]
  return body instanceof Uint8Array ? [body] : body
}

const lengthOf = (pieces: readonly Uint8Array[]) => pieces.reduce((sum, { length }) => sum + length, 0)

/** `over` when nothing more will come, well or not. */
type On = { answered: (answer: Answer) => void; over: () => void; failed: (why: unknown) => void }

const resting = new Map<string, HttpConnection[]>()

function askConnection(
  { where, method, headers, socket }: RequestParts,
  pieces: readonly Uint8Array[] | null,
  on: On,
): () => void {
  const place = socket ?? where.host
  const connections = resting.get(place) ?? []
  resting.set(place, connections)
  let head = `${method} ${where.pathname}${where.search} HTTP/1.1\r\nhost: ${where.host}\r\n`
  for (const [name, value] of Object.entries(headers)) head += `${name}: ${checked(value)}\r\n`
  const connection = connections.pop() ?? connectionTo(where, socket, connections)
  connection.ask(`${head}\r\n`, pieces ?? [], {
    answered: ({ head, body }) =>
      on.answered({ ...head, header: (name) => head.headers.get(name.toLowerCase()) ?? null, body }),
    over: on.over,
    failed: on.failed,
  })
  return () => connection.destroy()
}

function connectionTo(where: URL, socket: string | null, connections: HttpConnection[]): HttpConnection {
  const host = where.hostname.replace(/^\[|\]$/g, '')
  const to = socket === null ? { host, port: Number(where.port || 80) } : { path: socket }
  const connection: HttpConnection = new HttpConnection(to, {
    free: () => connections.push(connection),
    gone: () => {
      const at = connections.indexOf(connection)
      if (at >= 0) connections.splice(at, 1)
    },
  })
  return connection
}

function checked(value: string): string {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new TypeError('a header has characters that HTTP does not allow')
  return value
}

const agent = new Agent({ keepAlive: true, timeout: 55_000 })

function askNode(
  { where, method, headers, socket }: RequestParts,
  bytes: readonly Uint8Array[] | Blob | null,
  on: On,
): () => void {
  const path = `${where.pathname}${where.search}`
  const request =
    socket !== null
      ? overHttp({ socketPath: socket, path, method, headers: { host: where.host, ...headers } })
      : where.protocol === 'https:'
        ? overHttps(where, { method, headers, agent })
        : overHttp(where, { method, headers })
  request.on('error', on.failed)
  request.on('response', (answer) => {
    const body = new LeanBody(answer)
    answer.on('data', (piece: Buffer) => body.take(piece))
    answer.on('end', () => {
      on.over()
      body.end()
    })
    answer.on('error', on.failed)
    answer.on('close', () => on.failed(new Error('the answer was cut off')))
    const { statusCode: status = 0, statusMessage: statusText = '' } = answer
    on.answered({ status, statusText, header: (name) => headerOf(answer, name), body })
  })
  if (bytes instanceof Blob) pour(bytes, request).catch((error) => request.destroy(error))
  else {
    for (const piece of bytes ?? []) request.write(piece)
    request.end()
  }
  return () => request.destroy()
}

async function pour(blob: Blob, request: ClientRequest): Promise<void> {
  for await (const chunk of blob.stream()) {
    if (request.destroyed) return
    if (!request.write(chunk)) await room(request)
  }
  request.end()
}

/** Resolves when more may be written, or nothing ever will be. A large file waits thousands of times: no listener stays. */
function room(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      request.off('drain', go).off('close', go)
      resolve()
    }
    request.on('drain', go).on('close', go)
  })
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}

function responseOf({ status, statusText, header, body }: Answer): Response {
  const text = async () => (await body.whole()).toString()
  const response = {
    ok: status >= 200 && status < 300,
    status,
    statusText,
    headers: { get: header },
    body,
    text,
    json: async () => JSON.parse(await text()),
    arrayBuffer: async () => new Uint8Array(await body.whole()).buffer,
  }
  return response as unknown as Response
}

import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps, Agent as SecureAgent } from 'node:https'
import { LeanBody } from './lean-body.ts'

// Shorter than hubs and proxies keep a connection that nobody uses: one that they close while it is being used again
// costs a try.
const keep = { keepAlive: true, timeout: 55_000 }
const agent = new Agent(keep)
const secureAgent = new SecureAgent(keep)

/** What the client asks of `fetch`, in a form that costs Node a third of the real one for a small request. */
export const leanFetch = ((url: string, init: RequestInit = {}) => {
  const { signal, body = null, method = 'GET' } = init
  if (signal?.aborted) return Promise.reject(signal.reason)
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body as Uint8Array | Blob | null)
  const headers = { ...(init.headers as Record<string, string>) }
  if (bytes) headers['content-length'] = String(bytes instanceof Blob ? bytes.size : bytes.length)
  else if (method !== 'GET') headers['content-length'] = '0'
  return new Promise<Response>((resolve, reject) => {
    const where = new URL(url)
    const secure = where.protocol === 'https:'
    const request = secure
      ? overHttps(where, { method, headers, agent: secureAgent })
      : overHttp(where, { method, headers, agent })
    let answered: LeanBody | null = null
    const fail = (why: unknown) => {
      over()
      answered?.fail(why)
      reject(why)
    }
    const onAbort = () => {
      // First: what destroying the connection is told of would hide the reason.
      fail(signal?.reason)
      request.destroy()
    }
    const over = () => signal?.removeEventListener('abort', onAbort)
    signal?.addEventListener('abort', onAbort)
    request.on('error', fail)
    request.on('response', (answer) => {
      answered = new LeanBody(answer, over)
      resolve(responseOf(answer, answered))
    })
    if (bytes instanceof Blob) pour(bytes, request).catch((error) => request.destroy(error))
    else request.end(bytes ?? undefined)
  })
}) as typeof fetch

async function pour(blob: Blob, request: ClientRequest): Promise<void> {
  for await (const chunk of blob.stream()) {
    if (request.destroyed) return
    if (!request.write(chunk)) await Promise.race([once(request, 'drain'), once(request, 'close')])
  }
  request.end()
}

function responseOf(answer: IncomingMessage, body: LeanBody): Response {
  const status = answer.statusCode ?? 0
  const text = async () => (await body.whole()).toString()
  const response = {
    ok: status >= 200 && status < 300,
    status,
    statusText: answer.statusMessage ?? '',
    headers: { get: (name: string) => headerOf(answer, name) },
    body,
    text,
    json: async () => JSON.parse(await text()),
    arrayBuffer: async () => new Uint8Array(await body.whole()).buffer,
  }
  return response as unknown as Response
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}

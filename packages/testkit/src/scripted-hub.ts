import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { onLoopback } from './on-loopback.ts'

export type ScriptedRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: Buffer
}

export type Reply = (response: ServerResponse, request: ScriptedRequest) => void | Promise<void>

export type ScriptedHub = {
  url: string
  requests: ScriptedRequest[]
  sockets: ReadonlySet<Socket>
  /** The nth request, from 1, as soon as it has arrived. */
  request(nth: number): Promise<ScriptedRequest>
  close(): Promise<void>
}

export const someRun: RunAddress = {
  project: ProjectId.parse('prj_scripted1'),
  task: TaskId.parse('tsk_scripted1'),
  run: RunId.parse('run_scripted1'),
}

/** A server on a real socket that gives its replies in turn, and the last one to all further requests. */
export async function scriptedHub(...replies: [Reply, ...Reply[]]): Promise<ScriptedHub> {
  const requests: ScriptedRequest[] = []
  const sockets = new Set<Socket>()
  const waiting: { nth: number; resolve: (request: ScriptedRequest) => void }[] = []
  const server = createServer((req, response) => {
    const pieces: Buffer[] = []
    req.on('data', (piece: Buffer) => pieces.push(piece))
    req.on('error', () => {})
    response.on('error', () => {})
    req.on('end', () => {
      const { pathname, searchParams } = new URL(req.url ?? '/', 'http://hub')
      const request: ScriptedRequest = {
        method: req.method ?? '',
        path: pathname,
        query: searchParams,
        headers: req.headers,
        body: Buffer.concat(pieces),
      }
      const reply = replies[Math.min(requests.push(request), replies.length) - 1]!
      for (const { nth, resolve } of waiting) if (nth === requests.length) resolve(request)
      Promise.resolve(reply(response, request)).catch((error) => response.destroy(error))
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  return {
    ...(await onLoopback(server)),
    requests,
    sockets,
    request: (nth) =>
      new Promise((resolve) => {
        const there = requests[nth - 1]
        if (there) resolve(there)
        else waiting.push({ nth, resolve })
      }),
  }
}

export const json =
  (status: number, value: unknown, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
  }

/** An error answer as a hub sends it. */
export const refuse = (status: number, code: string, remedy: string, more: object = {}): Reply =>
  json(status, { error: { code, message: `${code} as scripted`, remedy, ...more } })

/** Takes the request and breaks the connection without an answer. */
export const hangUp: Reply = (response) => {
  response.destroy()
}

/** Sends the pieces as a stream of events, and then `then`; by default nothing more. */
export const stream =
  (pieces: readonly string[], then: Reply = () => {}): Reply =>
  (response, request) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    for (const piece of pieces) response.write(piece)
    return then(response, request)
  }

/** One event of a stream, as the hub writes it. */
export const frame = (id: number, params: Record<string, unknown> = { n: id }): string =>
  `id: ${id}\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: '_test/event', params })}\n\n`

export const liveFrame = (lastEventId: number) => `event: live\ndata: {"lastEventId":${lastEventId}}\n\n`
export const endFrame = 'event: end\ndata: {}\n\n'

/** Resolves when more may be written, or the reader is gone. An endless answer waits hundreds of times: no listener stays. */
export function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
    if (response.destroyed) go()
  })
}

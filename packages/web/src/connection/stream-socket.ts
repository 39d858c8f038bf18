import type { Fetch } from '@farhand/client/requests/hub'
import { keyProtocol, streamProtocol } from '@farhand/protocol/wire/stream-socket'
import type { ConnectionBudget } from './connection-budget.ts'

type Key = () => string | null

/**
 * A `fetch` that opens streams as WebSockets (W55) while many pages are visible: a browser allows six HTTP/1 connections to
 * one hub for all pages together, and WebSockets do not count. If WebSockets fail once, it stops trying them.
 */
export function streamsOverSockets(plain: Fetch, budget: ConnectionBudget, key: Key): Fetch {
  const asking: typeof fetch = async (input, init = {}) => {
    if (new Headers(init.headers).get('accept') !== 'text/event-stream') return await plain(input, init)
    const wantsSocket = budget.prefersSockets()
    const answer = wantsSocket ? await bySocket(String(input), init, key()) : null
    if (answer) return answer
    const fetched = await plain(input, init)
    // The hub answers by HTTP but the WebSocket failed: something in between blocks WebSockets.
    if (wantsSocket && fetched.ok) budget.reportSocketFailure()
    return untilCrowded(fetched, budget)
  }
  return Object.assign(asking, plain.takesPieces && { takesPieces: true as const })
}

/** Null if the WebSocket cannot be opened. */
function bySocket(
  url: string,
  { headers, signal }: RequestInit,
  key: string | null,
): Promise<Response | null> {
  const address = new URL(url)
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
  const cursor = new Headers(headers).get('last-event-id')
  if (cursor !== null) address.searchParams.set('last_event_id', cursor)
  const protocols = key === null ? [streamProtocol] : [streamProtocol, keyProtocol + key]
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const socket = new WebSocket(address, protocols)
    socket.binaryType = 'arraybuffer'
    let stream: ReadableStreamDefaultController<Uint8Array> | null = null
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        stream = controller
      },
      cancel: () => socket.close(),
    })
    const stop = () => {
      reject(signal?.reason)
      stream?.error(signal?.reason)
      stream = null
      socket.close()
    }
    signal?.addEventListener('abort', stop, { once: true })
    socket.addEventListener('open', () =>
      resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } })),
    )
    socket.addEventListener('message', ({ data }) => stream?.enqueue(new Uint8Array(data as ArrayBuffer)))
    socket.addEventListener('close', () => {
      signal?.removeEventListener('abort', stop)
      resolve(null)
      stream?.close()
      stream = null
    })
  })
}

const comeAgain = new TextEncoder().encode('event: reconnect\ndata: {}\n\n')

/** The same response, which tells its reader to reconnect as soon as too many pages are visible for HTTP streams. */
function untilCrowded(answer: Response, budget: ConnectionBudget): Response {
  if (!answer.ok || answer.body === null) return answer
  const reader = answer.body.getReader()
  let leave = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      const look = () => {
        if (!budget.prefersSockets()) return
        leave()
        stream.enqueue(comeAgain)
        stream.close()
        void reader.cancel()
      }
      leave = budget.onChange(look)
      // The request may have waited for a connection: what came meanwhile is not told again.
      look()
    },
    async pull(stream) {
      const { done, value } = await reader.read()
      if (value) stream.enqueue(value)
      if (!done) return
      leave()
      stream.close()
    },
    cancel(why) {
      leave()
      return reader.cancel(why)
    },
  })
  const { status, headers } = answer
  return new Response(body, { status, headers })
}

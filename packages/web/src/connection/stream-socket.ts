import type { Fetch } from '@farhand/client/requests/hub'
import { keyProtocol, streamProtocol } from '@farhand/protocol/wire/stream-socket'
import type { ConnectionBudget } from './connection-budget.ts'

type Key = () => string | null

/**
 * A `fetch` that has streams come as WebSockets (W55) while many windows are open: a browser gives all of them six connections
 * to one hub together, and WebSockets do not count. A way to the hub that carries no WebSockets is found out once.
 */
export function streamsOverSockets(plain: Fetch, budget: ConnectionBudget, key: Key): Fetch {
  const asking: typeof fetch = async (input, init = {}) => {
    if (new Headers(init.headers).get('accept') !== 'text/event-stream') return await plain(input, init)
    const wantsSocket = budget.prefersSockets()
    const answer = wantsSocket ? await bySocket(String(input), init, key()) : null
    if (answer) return answer
    const fetched = await plain(input, init)
    // The hub answers, and the socket did not come about: something in between does not let it through.
    if (wantsSocket && fetched.ok) budget.reportSocketFailure()
    return untilCrowded(fetched, budget)
  }
  return Object.assign(asking, plain.takesPieces && { takesPieces: true as const })
}

/** Null if there is no socket to be had. */
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

/** The same answer, which asks its reader to connect again as soon as there are too many windows for connections like this. */
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

import type { AnswerCounter } from './answers.ts'
import { rawSockets } from './raw-socket.ts'

export type Exchange = {
  port: number
  connections: number
  /** How many requests are under way on each connection, sent without waiting for answers; 1 if not given. */
  depth?: number
  /** The next request of this connection, or null when it has sent its last. */
  request(connection: number): readonly Buffer[] | null
  answers(): AnswerCounter
}

/** Keeps requests in flight on each connection until there are no more; rejects if any fails. */
export async function keepInFlight(exchange: Exchange): Promise<{ answered: number; ms: number }> {
  let answered = 0
  const underWay = new Array<number>(exchange.connections).fill(0)
  let waiting = 0
  let started = 0
  const { promise, resolve, reject } = withResolvers<number>()

  const sockets = await rawSockets(exchange.port, exchange.connections, (index) => {
    const count = exchange.answers()
    return (chunk) => {
      const whole = count(chunk)
      if (whole === 0) return
      answered += whole
      underWay[index]! -= whole
      waiting -= whole
      for (let n = 0; n < whole; n++) send(index)
      if (waiting === 0) resolve(performance.now())
    }
  })
  function send(index: number): void {
    const request = exchange.request(index)
    if (request === null) return
    underWay[index]!++
    waiting++
    const socket = sockets[index]!
    if (request.length > 1) socket.cork()
    for (const part of request) socket.write(part)
    if (request.length > 1) socket.uncork()
  }
  for (const [index, socket] of sockets.entries()) {
    socket.on('error', reject)
    socket.on('close', () => {
      // One that has had its last answer may be closed as idle before the others are done.
      if (underWay[index]! > 0) reject(new Error('the server closed a connection'))
    })
  }
  try {
    started = performance.now()
    for (let n = 0; n < (exchange.depth ?? 1); n++) for (const index of sockets.keys()) send(index)
    const ended = await promise
    return { answered, ms: ended - started }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

function withResolvers<T>() {
  let resolve!: (value: T) => void
  let reject!: (error: Error) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** Repeats one request for that long; gives answers a second. */
export async function ratePerSecond(
  exchange: Omit<Exchange, 'request'> & { request(connection: number): readonly Buffer[] },
  ms: number,
): Promise<number> {
  const until = performance.now() + ms
  const result = await keepInFlight({
    ...exchange,
    request: (connection) => (performance.now() < until ? exchange.request(connection) : null),
  })
  return (result.answered * 1000) / result.ms
}

import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Fault, faultAnswer } from '@farhand/protocol/wire/faults'
import { answerJson } from './exchange.ts'

/** Any error as a fault. An unexpected error is the hub's own, and its text is not shown to the client. */
export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  return new Fault('hub.failed', 'something went wrong in the hub; its log says what', { cause: error })
}

const lingerMs = 5000

/** Answers with the fault; if a response has begun already, closes the connection instead. */
export function answerFault(res: ServerResponse, fault: Fault): void {
  if (res.headersSent) {
    res.destroy()
    return
  }
  if (fault.status === 401) res.setHeader('WWW-Authenticate', 'Bearer')
  if (fault.code.endsWith('.too-often')) {
    if (!res.hasHeader('Retry-After')) res.setHeader('Retry-After', '60')
    res.setHeader('Connection', 'close')
  }
  if (fault.remedy === 'retry' && fault.status === 503) res.setHeader('Retry-After', '1')
  if (fault.code === 'hub.stopping') res.setHeader('Connection', 'close')
  answerJson(res, fault.status, faultAnswer(fault))
  letGo(res)
}

/**
 * Gives a client that is still sending some time to read the response. Closing at once would reset the connection and lose the
 * response that says what was wrong.
 */
export function letGo(res: ServerResponse): void {
  const { req } = res
  if (req.complete || !res.writableEnded) return
  req.resume()
  const timer = setTimeout(() => req.destroy(), lingerMs)
  timer.unref()
  req.once('close', () => clearTimeout(timer))
}

/** The request ended before it was complete. The client cannot know the result and must send it again. */
export const brokenOff = (cause?: Error) =>
  new Fault('request.timeout', 'the request broke off before it was whole; send it again', { cause })

const parserFaults: Record<string, Fault> = {
  HPE_INVALID_EOF_STATE: brokenOff(),
  HPE_HEADER_OVERFLOW: new Fault('request.headers-too-large', 'the request headers are too large'),
  ERR_HTTP_REQUEST_TIMEOUT: new Fault('request.timeout', 'the request did not arrive in time; send it again'),
}

/** Answers bytes that were no valid HTTP request. There is no response object then, only the socket. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const fault =
    parserFaults[error.code ?? ''] ?? new Fault('request.malformed', 'this is not a well-formed HTTP request')
  const body = JSON.stringify(faultAnswer(fault))
  socket.end(
    `HTTP/1.1 ${fault.status} ${fault.code}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

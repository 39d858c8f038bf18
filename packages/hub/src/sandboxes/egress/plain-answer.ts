import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

type Words = { status: number; words: string }

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/** Answers with plain text for the user; programs such as git show it. */
export function answerPlainly(res: ServerResponse, { status, words }: Words): void {
  if (res.headersSent) {
    res.destroy()
    return
  }
  const body = `${words}\n`
  res.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  res.end(body)
}

/** As `answerPlainly`, on a raw connection without an HTTP response object; closes the connection. */
export function answerRawly(socket: Duplex, { status, words }: Words): void {
  const body = `${words}\n`
  const head = `HTTP/1.1 ${status} ${reasons[status] ?? 'Error'}\r\nContent-Type: text/plain; charset=utf-8\r\n`
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`)
}

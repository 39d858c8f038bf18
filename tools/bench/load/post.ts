import { event, eventBytes } from '../payload.ts'

/** Where and how a contender takes an event over HTTP. */
export type PostTarget = { port: number; path: string; headers?: Record<string, string> }

export function head(
  target: PostTarget,
  bodyBytes: number,
  more: Record<string, string | number> = {},
): Buffer {
  const headers = { ...target.headers, 'Content-Length': bodyBytes, ...more }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(
    `POST ${target.path} HTTP/1.1\r\nHost: 127.0.0.1:${target.port}\r\n${lines.join('')}\r\n`,
    'latin1',
  )
}

/** Makes whole requests for single events, cheaply: the head never changes. */
export function eventRequest(target: PostTarget): (seq: number) => readonly Buffer[] {
  const start = head(target, eventBytes)
  return (seq) => [Buffer.concat([start, event(seq)])]
}

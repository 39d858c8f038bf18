import type { ServerResponse } from 'node:http'
import type { Answer } from './answer-of.ts'
import type { Dialect } from './dialect.ts'

const wordMs = 50
/** Ten minutes of words, much longer than a test: it ends the answer to an agent that a test left running. */
const mostWords = 12_000

/** Answers a request in its dialect, at once or as a stream; an endless one ends when the other side hangs up. */
export function giveAnswer(
  response: ServerResponse,
  dialect: Dialect,
  answer: Answer,
  isStream: boolean,
): void {
  if (answer.kind === 'refused') {
    giveJson(response, answer.status, dialect.refusal(answer.status, answer.message))
  } else if (answer.kind === 'endless') {
    // An agent that wants the whole answer waits for ever, as with a model that thinks for too long.
    if (isStream) streamWords(response, dialect)
  } else if (isStream) {
    response.writeHead(200, streamHeaders)
    const stream = dialect.stream()
    const words = answer.text.match(/\S+\s*|\s+/g) ?? []
    const pieces = [
      stream.begin(),
      ...words.map(stream.text),
      ...(answer.call ? [stream.call(answer.call)] : []),
    ]
    response.end(pieces.join('') + stream.end())
  } else giveJson(response, 200, dialect.whole(answer.text, answer.call))
}

const streamHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }

export function giveJson(response: ServerResponse, status: number, body: unknown): void {
  // Agents that wait before they try again should not wait for long in a test.
  const retry = status === 429 ? { 'retry-after': '1' } : {}
  response.writeHead(status, { 'content-type': 'application/json', ...retry }).end(JSON.stringify(body))
}

function streamWords(response: ServerResponse, dialect: Dialect): void {
  response.writeHead(200, streamHeaders)
  const stream = dialect.stream()
  response.write(stream.begin())
  let words = 0
  const timer = setInterval(() => {
    if (words === mostWords) response.end(stream.end())
    else response.write(stream.text(`word ${++words} `))
  }, wordMs)
  response.once('close', () => clearInterval(timer))
}

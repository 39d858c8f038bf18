import { limits } from '@farhand/protocol/wire/limits'
import { ask, type Hub, type HubRequest } from './hub.ts'
import { readRefusal, readText } from './read-answer.ts'
import { Unreachable } from './refusal.ts'
import { type RetryOptions, withRetries } from './retry.ts'
import { orUnreachable } from './stream-body.ts'
import { watchdog } from './watchdog.ts'

export type CallOptions = RetryOptions & {
  /** How long one try may take; more is allowed for a large body. */
  answerMs?: number
}

// The longest answer is a page of tasks with their prompts.
const mostAnswerBytes = 2 * limits.pageSize * limits.eventBytes
// The speed of a phone at the edge of its network. A floor that is too low only costs time; with one that is too high,
// a large body never arrives.
const slowestBytesPerMs = 16

/** What a schema of the protocol can do; enough to read an answer without knowing the schema library. */
export type Schema<T> = { parse(value: unknown): T }

/** Asks for a JSON answer, again and again while the error is a passing one. Only for requests that may be sent twice. */
export function call<T>(
  hub: Hub,
  request: HubRequest,
  answer: Schema<T>,
  options: CallOptions = {},
): Promise<T> {
  return withRetries(() => callOnce(hub, request, answer, options), options)
}

/** Asks for a JSON answer once. */
export function callOnce<T>(
  hub: Hub,
  request: HubRequest,
  answer: Schema<T>,
  options: CallOptions,
): Promise<T> {
  const bytes = request.body?.length ?? 0
  return exchange(
    (signal) => ask(hub, request, signal),
    bytes,
    options,
    async (response) => {
      const text = await readText(response, mostAnswerBytes)
      try {
        return answer.parse(JSON.parse(text))
      } catch (error) {
        // The sign-in page of a hotel network answers 200 too.
        throw new Unreachable(`${request.path} was not answered by a hub this client understands`, error)
      }
    },
  )
}

/** One request and its whole answer, aborted when it takes too long. */
export async function exchange<T>(
  send: (signal: AbortSignal) => Promise<Response>,
  bytes: number,
  { signal, answerMs = 30_000 }: CallOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const dog = watchdog(answerMs + bytes / slowestBytesPerMs, signal)
  try {
    dog.expect()
    const response = await orUnreachable(dog.signal, send(dog.signal))
    if (!response.ok) throw await orUnreachable(dog.signal, readRefusal(response))
    return await orUnreachable(dog.signal, read(response))
  } finally {
    dog.stop()
  }
}

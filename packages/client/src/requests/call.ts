import type { Backoff } from '@farhand/kit/backoff'
import { limits } from '@farhand/protocol/wire/limits'
import { ask, type Hub, type HubRequest } from './hub.ts'
import { patience } from './retry.ts'
import { readText } from './read-answer.ts'
import { readRefusal, Unreachable } from './refusal.ts'
import { broken } from './stream-body.ts'
import { watchdog } from './watchdog.ts'

export type CallOptions = {
  signal?: AbortSignal | undefined
  /** How long after a first failure a hub is tried again before the last trouble is thrown; 0 is one try. */
  patienceMs?: number
  /** How long one try may take; more is allowed for a large body. */
  answerMs?: number
  backoff?: Backoff
  /** Told of each failed try that will be repeated. */
  onTrouble?: (trouble: unknown, retryMs: number) => void
}

// The longest answer is a page of tasks with their prompts.
const mostAnswerBytes = 2 * limits.pageSize * limits.eventBytes
// As slow as a phone at the edge of its network. What is lost meanwhile costs time; a floor that is too high, that a
// large body never arrives at all.
const slowestBytesPerMs = 16

/** What a schema of the protocol can do; enough to read an answer without knowing the schema library. */
export type Schema<T> = { parse(value: unknown): T }

/** Asks for a JSON answer, again and again while the trouble is a passing one. Only for what may be asked twice. */
export function call<T>(
  hub: Hub,
  request: HubRequest,
  answer: Schema<T>,
  options: CallOptions = {},
): Promise<T> {
  return persist(() => callOnce(hub, request, answer, options), options)
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
        // A sign-in page of a hotel answers 200 too.
        throw new Unreachable(`${request.path} was not answered by a hub this client understands`, error)
      }
    },
  )
}

/** One request and its whole answer, within its time. */
export async function exchange<T>(
  send: (signal: AbortSignal) => Promise<Response>,
  bytes: number,
  { signal, answerMs = 30_000 }: CallOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const dog = watchdog(answerMs + bytes / slowestBytesPerMs, signal)
  try {
    dog.expect()
    const response = await broken(dog.signal, send(dog.signal))
    if (!response.ok) throw await broken(dog.signal, readRefusal(response))
    return await broken(dog.signal, read(response))
  } finally {
    dog.stop()
  }
}

/** Repeats until it works, with growing pauses, as long as the trouble is a passing one and patience lasts. */
export async function persist<T>(attempt: () => Promise<T>, options: CallOptions): Promise<T> {
  const { outlast } = patience(options)
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      // Here a passing trouble can be outlasted; every other is the caller's.
      await outlast(error)
    }
  }
}

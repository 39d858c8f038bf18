import { readRefusal } from './read-answer.ts'
import { Unreachable } from './refusal.ts'
import { watchdog } from './watchdog.ts'

export type StreamOptions = {
  send: (signal: AbortSignal) => Promise<Response>
  /** After so much silence the connection counts as dead. Time in which the caller does not read does not count. */
  silenceMs: number
  signal?: AbortSignal | undefined
  /** Looks at the head of the answer; may throw. */
  onOpen?: (response: Response) => void
}

/**
 * The body of an answer piece by piece, read only as fast as the caller asks for pieces. Throws a Refusal, or
 * Unreachable when the connection breaks; the socket is gone when the generator is.
 */
export async function* streamBody(options: StreamOptions): AsyncGenerator<Uint8Array> {
  const dog = watchdog(options.silenceMs, options.signal)
  try {
    dog.expect()
    const response = await orUnreachable(dog.signal, options.send(dog.signal))
    if (!response.ok) throw await orUnreachable(dog.signal, readRefusal(response))
    options.onOpen?.(response)
    const reader = response.body?.getReader()
    for (;;) {
      dog.expect()
      const piece = await orUnreachable(
        dog.signal,
        reader?.read() ?? Promise.resolve({ done: true as const, value: undefined }),
      )
      dog.rest()
      if (piece.done) return
      yield piece.value
    }
  } finally {
    dog.stop()
  }
}

/** The result of an exchange; if it fails, throws the reason of the abort, or Unreachable where the network failed. */
export async function orUnreachable<T>(signal: AbortSignal, exchange: Promise<T>): Promise<T> {
  try {
    return await exchange
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof Unreachable) throw error
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Unreachable(why.startsWith('the connection') ? why : `the connection failed: ${why}`, error)
  }
}

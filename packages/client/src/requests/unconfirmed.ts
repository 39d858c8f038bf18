import type { CallOptions } from './call.ts'
import { isPassing, Refusal, Unreachable } from './refusal.ts'

/** The client does not know whether the request arrived. With the same key it can be sent again, and is stored once. */
export class Unconfirmed extends Unreachable {
  readonly key: string | undefined

  constructor(cause: Error, key: string | undefined, advice: string) {
    super(`${cause.message}; it is unknown whether it arrived. ${advice}`, cause)
    this.name = 'Unconfirmed'
    this.key = key
  }
}

/**
 * Writes, and throws Unconfirmed if it fails after a try that may have arrived. A refusal of the last try does not tell
 * about earlier tries, whose answers may be lost.
 */
export async function confirm<T>(
  options: CallOptions,
  write: (options: CallOptions) => Promise<T>,
  unconfirmed: (cause: Error) => Unconfirmed,
): Promise<T> {
  let mayHaveArrived = false
  const onTrouble = (trouble: unknown, retryMs: number) => {
    mayHaveArrived ||= leavesOpen(trouble)
    options.onTrouble?.(trouble, retryMs)
  }
  try {
    return await write({ ...options, onTrouble })
  } catch (error) {
    options.signal?.throwIfAborted()
    if (error instanceof Error && (mayHaveArrived || leavesOpen(error))) throw unconfirmed(error)
    throw error
  }
}

// A hub answers 429 and 408 before it stores anything; after any other failure it may have stored it.
function leavesOpen(trouble: unknown): boolean {
  return isPassing(trouble) && !(trouble instanceof Refusal && trouble.status < 500)
}

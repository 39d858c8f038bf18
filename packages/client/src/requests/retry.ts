import { type Backoff, backoffMs } from '@farhand/kit/backoff'
import { sleep } from '@farhand/kit/sleep'
import { isPassing, Refusal, Unreachable } from './refusal.ts'

export type RetryOptions = {
  signal?: AbortSignal | undefined
  /** For how long after the first failure the hub is tried again before the last error is thrown; 0 is one try. */
  patienceMs?: number
  backoff?: Backoff
  /** Called for each failed try that will be repeated. */
  onTrouble?: (trouble: unknown, retryMs: number) => void
}

export const defaultBackoff: Backoff = { firstMs: 250, maxMs: 15_000 }

/** Repeats an attempt with growing pauses until it works, an error is not a passing one, or `patienceMs` is over. */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const failures = failureCount(options)
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      // Here a passing error can be waited out; every other is the caller's.
      await failures.pause(error)
    }
  }
}

/**
 * What `rest` yields, across broken connections: each time it is called it must continue after what it has yielded
 * so far. `patienceMs` begins again with everything that arrives.
 */
export async function* resumeStream<T>(
  rest: () => AsyncGenerator<T>,
  options: RetryOptions,
): AsyncGenerator<T, void, undefined> {
  const failures = failureCount(options)
  for (;;) {
    try {
      for await (const item of rest()) {
        failures.reset()
        yield item
      }
      return
    } catch (error) {
      // Here what is missing can be requested again; every other error is the caller's.
      await failures.pause(error)
    }
  }
}

/** Counts failures in a row. Their time counts from the first failure, so a long try that breaks is repeated all the same. */
function failureCount({ signal, patienceMs = 60_000, backoff = defaultBackoff, onTrouble }: RetryOptions) {
  let failures = 0
  let since = 0
  return {
    reset(): void {
      failures = 0
    },
    /** Resolves when it is time for the next try; throws an error that does not pass, or that has lasted too long. */
    async pause(error: unknown): Promise<void> {
      signal?.throwIfAborted()
      if (!isPassing(error)) throw error
      // The time of day may be set in between; this clock only goes forward.
      if (failures === 0) since = performance.now()
      const retryMs = pauseMs(error, ++failures, backoff)
      if (performance.now() - since + retryMs > patienceMs) throw error
      onTrouble?.(error, retryMs)
      await sleep(retryMs, { signal })
    },
  }
}

/** How long to wait after so many failures in a row, the last of which was this: at least as long as the server asks for. */
export function pauseMs(error: unknown, failures: number, backoff: Backoff): number {
  const asked = error instanceof Refusal || error instanceof Unreachable ? error.retryAfterMs : 0
  return Math.max(backoffMs(failures, backoff), asked)
}

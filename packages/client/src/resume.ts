import { backoffMs } from '@farhand/kit/backoff'
import { sleep } from '@farhand/kit/sleep'
import { type CallOptions, defaultBackoff } from './call.ts'
import { isPassing } from './refusal.ts'

/**
 * What `rest` yields, across broken connections: each time it is called it must continue after what it has yielded
 * so far. Patience is counted from the last thing that arrived.
 */
export async function* resume<T>(
  rest: () => AsyncGenerator<T>,
  options: CallOptions,
): AsyncGenerator<T, void, undefined> {
  const { signal, patienceMs = 60_000, backoff = defaultBackoff, onTrouble } = options
  let failures = 0
  let aliveAt = Date.now()
  for (;;) {
    try {
      for await (const item of rest()) {
        failures = 0
        yield item
        aliveAt = Date.now()
      }
      return
    } catch (error) {
      // Here what is missing can be asked for again; every other trouble is the caller's.
      signal?.throwIfAborted()
      if (!isPassing(error) || Date.now() - aliveAt > patienceMs) throw error
      const retryMs = backoffMs(++failures, backoff)
      onTrouble?.(error, retryMs)
      await sleep(retryMs, { signal })
    }
  }
}

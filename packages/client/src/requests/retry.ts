import { type Backoff, backoffMs } from '@farhand/kit/backoff'
import { sleep } from '@farhand/kit/sleep'
import type { CallOptions } from './call.ts'
import { isPassing, Refusal, Unreachable } from './refusal.ts'

export const defaultBackoff: Backoff = { firstMs: 250, maxMs: 15_000 }

/** Outlasts passing trouble. It counts from the first failure, so a long try that breaks is repeated all the same. */
export function patience({ signal, patienceMs = 60_000, backoff = defaultBackoff, onTrouble }: CallOptions) {
  let failures = 0
  let since = 0
  return {
    /** Something arrived: trouble after this is new trouble. */
    renew(): void {
      failures = 0
    },
    /** Resolves when it is time for the next try; throws trouble that does not pass, or that has lasted too long. */
    async outlast(trouble: unknown): Promise<void> {
      signal?.throwIfAborted()
      if (!isPassing(trouble)) throw trouble
      // The time of day may be set in between; this clock only goes forward.
      if (failures === 0) since = performance.now()
      const retryMs = pauseMs(trouble, ++failures, backoff)
      if (performance.now() - since + retryMs > patienceMs) throw trouble
      onTrouble?.(trouble, retryMs)
      await sleep(retryMs, { signal })
    },
  }
}

/** How long to wait after so many failures in a row, the last of which was this: at least as long as it asks for. */
export function pauseMs(trouble: unknown, failures: number, backoff: Backoff): number {
  const asked = trouble instanceof Refusal || trouble instanceof Unreachable ? trouble.retryAfterMs : 0
  return Math.max(backoffMs(failures, backoff), asked)
}

import type { Hub } from '@farhand/client/hub'
import { runStatus } from '@farhand/client/resources'
import type { RunAddress } from '@farhand/protocol/routes'

const everyMs = 15_000

/** A runner that is stopped or stuck keeps its line open: only by what it asks can the hub tell. */
export function givingSignsOfLife(hub: Hub, at: RunAddress, signal: AbortSignal): { stop(): void } {
  const timer = setInterval(() => {
    // If it does not arrive, the next one may; what is wrong is for those who have something to say.
    void runStatus(hub, at, { signal, patienceMs: 0 }).catch(() => {})
  }, everyMs)
  return { stop: () => clearInterval(timer) }
}

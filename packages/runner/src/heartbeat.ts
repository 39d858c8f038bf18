import type { Hub } from '@farhand/client/requests/hub'
import { runStatus } from '@farhand/client/resources/resources'
import type { RunAddress } from '@farhand/protocol/wire/routes'

const everyMs = 1_000
const quietTicks = 15

/**
 * A sign every 15 s, and every second while the run is being closed: then the hub waits for this runner's last checkpoint, and
 * removes one that is stopped or stuck soon. Such a one keeps its line open: only by what it asks can the hub tell.
 */
export function startHeartbeat(
  hub: Hub,
  at: RunAddress,
  signal: AbortSignal,
  isClosing: () => boolean,
): { stop(): void } {
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
    if (ticks < quietTicks && !isClosing()) return
    ticks = 0
    // If it does not arrive, the next one may; what is wrong is for those who have something to say.
    void runStatus(hub, at, { signal, patienceMs: 0 }).catch(() => {})
  }, everyMs)
  return { stop: () => clearInterval(timer) }
}

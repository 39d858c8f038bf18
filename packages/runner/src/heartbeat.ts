import type { Hub } from '@farhand/client/requests/hub'
import { runStatus } from '@farhand/client/resources/resources'
import type { RunAddress } from '@farhand/protocol/wire/routes'

const everyMs = 1_000
const quietTicks = 15

/**
 * Asks the hub for the run's status every 15 s, and every second while the run is being closed: then the hub waits
 * for the last checkpoint, and soon removes a runner that is stopped or stuck. Its open connection proves nothing,
 * only its requests do.
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
    // The next one may arrive; errors are reported by the parts that write events.
    void runStatus(hub, at, { signal, patienceMs: 0 }).catch(() => {})
  }, everyMs)
  return { stop: () => clearInterval(timer) }
}

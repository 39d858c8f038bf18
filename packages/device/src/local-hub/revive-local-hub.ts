import { setTimeout as pause } from 'node:timers/promises'
import { backoffMs } from '@farhand/kit/backoff'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { LocalHub } from './local-hub.ts'
import type { StartParts } from './local-hub-parts.ts'

const lookMs = 2_000
const mostMs = 120_000

/**
 * Restarts the local hub whenever it has died, until `signal`; it keeps no process alive. A hub that the user stopped
 * stays stopped.
 */
export async function reviveLocalHub(
  state: StateFolder,
  parts: StartParts,
  signal: AbortSignal,
  everyMs = lookMs,
): Promise<void> {
  const hub = new LocalHub(state.root)
  let failures = 0
  while (!signal.aborted) {
    // A hub that dies at each start is restarted less and less often.
    const waitMs = failures === 0 ? everyMs : backoffMs(failures, { firstMs: everyMs, maxMs: mostMs })
    try {
      await pause(waitMs, undefined, { signal, ref: false })
      if (!hub.hasDied) {
        failures = 0
        continue
      }
      const { ensureLocalHub } = await import('./ensure-local-hub.ts')
      await ensureLocalHub(state, { ...parts, stop: signal })
      failures = 0
    } catch {
      failures += 1
      // Clients report that the hub is away; this only tries again.
    }
  }
}

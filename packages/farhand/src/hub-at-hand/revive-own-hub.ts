import { setTimeout as pause } from 'node:timers/promises'
import type { StateFolder } from '@farhand/sync/state-folder'
import type { World } from '../world.ts'
import { OwnHub } from './own-hub.ts'

const lookMs = 2_000

/**
 * Starts the user's own hub again whenever it has died, until this signal; it keeps no process alive. One that somebody has
 * stopped stays stopped.
 */
export async function reviveOwnHub(
  state: StateFolder,
  world: World,
  signal: AbortSignal,
  everyMs = lookMs,
): Promise<void> {
  const hub = new OwnHub(state.root)
  while (!signal.aborted) {
    try {
      await pause(everyMs, undefined, { signal, ref: false })
      if (!hub.hasDied) continue
      const { ownHubAtHand } = await import('./own-hub-at-hand.ts')
      await ownHubAtHand(state, { ...world, terminal: false, stop: signal })
    } catch {
      // Whoever needs the hub sees that it is away, and says so; this only tries again.
    }
  }
}

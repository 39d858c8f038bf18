import type { Hub } from '@farhand/client/requests/hub'
import { seeRun } from '@farhand/client/resources/run-preferences'
import type { RunId } from '@farhand/protocol/wire/ids'
import { useEffect } from 'react'
import { soon } from '../scheduling/soon.ts'
import { markSeen } from './seen-in-browser.ts'
import type { SeenMark } from './seen-runs.ts'

/** Notes that the user has seen a run up to this event, in this browser and at the hub, as soon as the page is visible. */
export function useSeen(hub: Hub, run: RunId, event: number, activeAt: string | null): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== 'visible') return
      markSeen(run, { event, activeAt })
      if (event > 0) reportSeen(hub, run, { event, activeAt })
    }
    look()
    // Events that came while the page was hidden count as seen when it is visible again.
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [hub, run, event, activeAt])
}

const waiting = new Map<RunId, { hub: Hub; mark: SeenMark }>()
/** An agent may write many events a second; the hub need not hear of each that it was seen. */
const telling = soon(tell, 2000)

/**
 * Tells the hub how far the user has read a run, for the user's other devices; shortly after, and at the latest
 * when the page is hidden.
 */
function reportSeen(hub: Hub, run: RunId, mark: SeenMark): void {
  waiting.set(run, { hub, mark })
  telling.ask()
}

function tell(): void {
  for (const [run, { hub, mark }] of waiting) {
    // Without `keepalive`, the browser would drop the request when the page closes.
    const lasting: Hub = { ...hub, fetch: (to, how) => fetch(to, { ...how, keepalive: true }) }
    // Without a network, the next call tells the hub.
    seeRun(lasting, run, mark, { patienceMs: 0 }).catch(() => {})
  }
  waiting.clear()
}

import type { Hub } from '@farhand/client/requests/hub'
import type { RunId } from '@farhand/protocol/wire/ids'
import { useEffect } from 'react'
import { reportSeen } from './seen-at-hub.ts'
import { markSeen } from './seen-here.ts'

/**
 * Notes that the user has seen a run up to this event, in this browser and at the hub, as soon as the page is
 * visible.
 */
export function useSeen(hub: Hub, run: RunId, event: number, activeAt: string | null): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== 'visible') return
      markSeen(run, { event, activeAt })
      if (event > 0) reportSeen(hub, run, { event, activeAt })
    }
    look()
    // // Events that came while the page was hidden count as seen when it is visible again.
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [hub, run, event, activeAt])
}

import type { Hub } from '@farhand/client/requests/hub'
import type { RunId } from '@farhand/protocol/wire/ids'
import { useEffect } from 'react'
import { reportSeen } from './seen-at-hub.ts'
import { markSeen } from './seen-here.ts'

/** Notes that somebody has seen a run up to this event, as soon as the page is before their eyes, here and at the hub. */
export function useSeen(hub: Hub, run: RunId, event: number, activeAt: string | null): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== 'visible') return
      markSeen(run, { event, activeAt })
      if (event > 0) reportSeen(hub, run, { event, activeAt })
    }
    look()
    // What came while nobody looked is seen when somebody does.
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [hub, run, event, activeAt])
}

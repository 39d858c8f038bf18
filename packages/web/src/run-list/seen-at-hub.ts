import type { Hub } from '@farhand/client/requests/hub'
import { seeRun } from '@farhand/client/resources/run-preferences'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { SeenMark } from './seen-runs.ts'

/** An agent at work says many things a second, and the hub need not hear of each that they were seen. */
const pauseMs = 2000
const waiting = new Map<RunId, { hub: Hub; mark: SeenMark }>()
let timer: ReturnType<typeof setTimeout> | undefined

/** Tells the hub how far a run was read, for other devices of the same user; a moment later, and at the latest when the page goes. */
export function reportSeen(hub: Hub, run: RunId, mark: SeenMark): void {
  waiting.set(run, { hub, mark })
  if (timer !== undefined) return
  timer = setTimeout(tell, pauseMs)
  addEventListener('pagehide', tell)
}

function tell(): void {
  clearTimeout(timer)
  timer = undefined
  removeEventListener('pagehide', tell)
  for (const [run, { hub, mark }] of waiting) {
    // What is said while the page is being closed would not be sent without this.
    const lasting: Hub = { ...hub, fetch: (to, how) => fetch(to, { ...how, keepalive: true }) }
    // Without a network it is said the next time that somebody looks.
    seeRun(lasting, run, mark, { patienceMs: 0 }).catch(() => {})
  }
  waiting.clear()
}

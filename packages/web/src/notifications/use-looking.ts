import type { Hub } from '@farhand/client/requests/hub'
import { lookAtRun } from '@farhand/client/resources/run-preferences'
import { type RunId, randomName } from '@farhand/protocol/wire/ids'
import { useEffect, useRef } from 'react'
import { useRun } from '../live/use-live.ts'

/** The hub believes a report for a minute. */
const againMs = 20_000
const signs = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchmove', 'focus'] as const

/** A name for each open page. */
const client = randomName(16)

/**
 * Tells the hub while the user looks at this run, so that the hub sends no notification about it. After a reconnect
 * it tells the hub again at once, because a restarted hub does not know.
 */
export function useLooking(hub: Hub, run: RunId): void {
  const isLive = useRun(run)?.connection.is === 'live'
  const look = useRef(() => {})
  useEffect(() => {
    const watching = watch(hub, run)
    look.current = watching.look
    return watching.stop
  }, [hub, run])
  useEffect(() => {
    if (isLive) look.current()
  }, [isLive])
}

/** Without `keepalive`, the browser would drop the last request when the page closes. */
const lasting = (hub: Hub): Hub => ({ ...hub, fetch: (to, how) => fetch(to, { ...how, keepalive: true }) })

function watch(hub: Hub, run: RunId): { look: () => void; stop: () => void } {
  let lastSign = performance.now()
  let said = false
  const say = (isLooking: boolean) => {
    if (!isLooking && !said) return
    said = isLooking
    // Not important: without it the user gets a notification of what they already see.
    lookAtRun(lasting(hub), run, { isLooking, client }, { patienceMs: 0 }).catch(() => {})
  }
  const look = () => {
    const isVisible = document.visibilityState === 'visible'
    if (!isVisible) say(false)
    else if (isLookedAt({ isVisible, lastSign, now: performance.now() })) say(true)
    // The page is visible but the user seems to be away: stop reporting, so that the user gets notifications elsewhere.
    else said = false
  }
  const onSign = () => {
    lastSign = performance.now()
    if (!said) look()
  }
  for (const sign of signs) addEventListener(sign, onSign, { passive: true })
  document.addEventListener('visibilitychange', look)
  const timer = setInterval(look, againMs)
  const stop = () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', look)
    for (const sign of signs) removeEventListener(sign, onSign)
    say(false)
  }
  return { look, stop }
}

/** How long the user may be inactive before the page counts as unattended. */
const stillMs = 2 * 60_000

/** Whether the user is looking at this page, as far as a page can tell. */
export const isLookedAt = (page: { isVisible: boolean; lastSign: number; now: number }): boolean =>
  page.isVisible && page.now - page.lastSign < stillMs

import type { Hub } from '@farhand/client/requests/hub'
import { lookAtRun } from '@farhand/client/resources/run-preferences'
import { type RunId, randomName } from '@farhand/protocol/wire/ids'
import { useEffect, useRef } from 'react'
import { useRun } from '../live/use-live.ts'

/** The hub believes a report for a minute. */
const againMs = 20_000
/** The hub believes for ten seconds that a user types. */
const typingAgainMs = 4_000
const signs = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchmove', 'focus'] as const

/** A name for each open page. */
const client = randomName(16)

/**
 * Tells the hub while the user looks at this run, so that the hub sends no notification about it, and shows the user to others who
 * look at it. `hasCompany`: there are others; then it also tells that the user types. After a reconnect it tells the hub again at once,
 * because a restarted hub does not know.
 */
export function useLooking(hub: Hub, run: RunId, hasCompany: boolean): void {
  const isLive = useRun(run)?.connection.is === 'live'
  const watching = useRef<Watching | null>(null)
  const company = useRef(hasCompany)
  company.current = hasCompany
  useEffect(() => {
    const now = watch(hub, run, () => company.current)
    watching.current = now
    return now.stop
  }, [hub, run])
  useEffect(() => {
    if (isLive) watching.current?.look()
  }, [isLive])
}

/** Without `keepalive`, the browser would drop the last request when the page closes. */
const lasting = (hub: Hub): Hub => ({ ...hub, fetch: (to, how) => fetch(to, { ...how, keepalive: true }) })

type Watching = { look: () => void; stop: () => void }

function watch(hub: Hub, run: RunId, hasCompany: () => boolean): Watching {
  let lastSign = performance.now()
  let said = false
  /** When it was last told that the user types; null: that they do not. */
  let typingSaid: number | null = null
  const say = (isLooking: boolean, isTyping = false) => {
    if (!isLooking && !said) return
    said = isLooking
    typingSaid = isTyping ? performance.now() : null
    const report = { isLooking, client, ...(isTyping && { isTyping }) }
    // Not important: without it the user gets a notification of what they already see.
    lookAtRun(lasting(hub), run, report, { patienceMs: 0 }).catch(() => {})
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
  const onInput = ({ target }: Event) => {
    if (!(target instanceof HTMLTextAreaElement) || !hasCompany()) return
    // An empty field: the message was sent or given up.
    const isTyping = target.value.trim() !== ''
    const isDue = typingSaid === null || performance.now() - typingSaid > typingAgainMs
    if (isTyping ? isDue : typingSaid !== null) say(true, isTyping)
  }
  for (const sign of signs) addEventListener(sign, onSign, { passive: true })
  document.addEventListener('input', onInput)
  document.addEventListener('visibilitychange', look)
  const timer = setInterval(look, againMs)
  const stop = () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', look)
    document.removeEventListener('input', onInput)
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

import type { Hub } from '@farhand/client/requests/hub'
import { lookAtRun } from '@farhand/client/resources/run-preferences'
import { type RunId, randomName } from '@farhand/protocol/wire/ids'
import { useEffect, useRef } from 'react'
import { useRun } from '../live/use-live.ts'
import { isLookedAt } from './is-looked-at.ts'

/** The hub believes it for a minute. */
const againMs = 20_000
const signs = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchmove', 'focus'] as const

/** One name for each open page. */
const client = randomName(16)

/**
 * Says to the hub that this run is looked at while it is, so that nobody is told what they see. A hub that has just come
 * back knows of nobody who looks: it hears of it again at once.
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

/** What is said last is said while the page is being closed; without this it would not be sent. */
const lasting = (hub: Hub): Hub => ({ ...hub, fetch: (to, how) => fetch(to, { ...how, keepalive: true }) })

function watch(hub: Hub, run: RunId): { look: () => void; stop: () => void } {
  let lastSign = performance.now()
  let said = false
  const say = (isLooking: boolean) => {
    if (!isLooking && !said) return
    said = isLooking
    // It is a courtesy: without it somebody is told what they see already.
    lookAtRun(lasting(hub), run, { isLooking, client }, { patienceMs: 0 }).catch(() => {})
  }
  const look = () => {
    const isVisible = document.visibilityState === 'visible'
    if (!isVisible) say(false)
    else if (isLookedAt({ isVisible, lastSign, now: performance.now() })) say(true)
    // Nobody has left, and perhaps nobody is there: by saying nothing more they are told what they do not answer.
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

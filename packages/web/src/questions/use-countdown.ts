import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { useEffect, useState } from 'react'
import { hubClock } from '../time/hub-clock.ts'
import { countdown } from './countdown.ts'

/** The words of a countdown, updated each second while `isOpen`. */
export function useCountdown(asked: OpenQuestion, isOpen: boolean): string | null {
  const [now, setNow] = useState(hubClock.now)
  const left = isOpen ? countdown(asked, now) : null
  const isTicking = left !== null && left.leftMs > 0
  useEffect(() => {
    if (!isTicking) return
    setNow(hubClock.now())
    const ticking = setInterval(() => setNow(hubClock.now()), 1000)
    return () => clearInterval(ticking)
  }, [isTicking])
  return left?.words ?? null
}

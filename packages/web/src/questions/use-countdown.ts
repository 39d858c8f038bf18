import type { OpenQuestion } from '@farhand/protocol/open-question'
import { useEffect, useState } from 'react'
import { countdown } from './countdown.ts'

/** The words of a countdown, told anew each second while there is one and `isOpen`. */
export function useCountdown(asked: OpenQuestion, isOpen: boolean): string | null {
  const [now, setNow] = useState(() => Date.now())
  const left = isOpen ? countdown(asked, now) : null
  const isTicking = left !== null && left.leftMs > 0
  useEffect(() => {
    if (!isTicking) return
    setNow(Date.now())
    const ticking = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(ticking)
  }, [isTicking])
  return left?.words ?? null
}

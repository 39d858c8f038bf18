import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { answerInWords } from '@farhand/story/wording/answer-in-words'
import { useEffect, useState } from 'react'
import { hubClock } from '../time/hub-clock.ts'

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

type Timed = Pick<OpenQuestion, 'timeout' | 'askedAt' | 'default' | 'options'>

/** How long a question still waits, and what happens then; null if it has no timeout. Never negative. */
export function countdown(asked: Timed, nowMs: number): { leftMs: number; words: string } | null {
  if (asked.timeout === null) return null
  const leftMs = Math.max(0, Date.parse(asked.askedAt) + asked.timeout * 1000 - nowMs)
  const hasDefault = asked.default !== null && asked.default !== undefined
  const then = hasDefault ? `“${answerInWords(asked, asked.default)}” is taken` : 'it is withdrawn'
  if (leftMs === 0) return { leftMs, words: `Time is up: ${then}.` }
  return { leftMs, words: `${leftInWords(leftMs)} left, then ${then}` }
}

function leftInWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.ceil(seconds / 60)} min`
  return `${Math.ceil(seconds / 3600)} h`
}

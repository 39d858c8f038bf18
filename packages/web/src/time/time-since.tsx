import { agoInWords } from '@farhand/story/wording/ago-in-words'
import { useEffect, useState } from 'react'
import { timeTitle } from '../ui/time-title.ts'
import { hubClock } from './hub-clock.ts'
import { elapsedInWords, wordsHoldMs } from './time-in-words.ts'

type Props = {
  at: string
  /** Shows the duration so far instead of how long ago it was. */
  isElapsed?: boolean
}

/** A relative time that updates itself; hovering shows the absolute time. */
export function TimeSince({ at, isElapsed = false }: Props) {
  const [now, setNow] = useState(hubClock.now)
  useEffect(() => {
    const timer = setTimeout(() => setNow(hubClock.now()), wordsHoldMs(at, now, isElapsed))
    return () => clearTimeout(timer)
  }, [at, isElapsed, now])
  return (
    <time dateTime={at} {...timeTitle(at)}>
      {isElapsed ? elapsedInWords(at, now) : agoInWords(at, now)}
    </time>
  )
}

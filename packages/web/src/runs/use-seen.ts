import { useEffect } from 'react'
import { seeRun } from './seen-here.ts'

/** Notes that somebody has seen a run up to this event, as soon as the page is before their eyes. */
export function useSeen(run: string, event: number, activeAt: string | null): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') seeRun(run, { event, activeAt })
    }
    look()
    // What came while nobody looked is seen when somebody does.
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [run, event, activeAt])
}

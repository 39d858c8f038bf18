import { useEffect, useState } from 'react'

/** The second half of a double click comes within half a second of the first. */
const settleMs = 600

/**
 * Whether `what` has been shown long enough to be clicked on purpose, and not by a click that was meant for what
 * was there before. Null: nothing to wait for.
 */
export function useSettled(what: string | null): boolean {
  const [settled, setSettled] = useState<string | null>(null)
  useEffect(() => {
    if (what === null) return
    const timer = setTimeout(() => setSettled(what), settleMs)
    return () => clearTimeout(timer)
  }, [what])
  return settled === what
}

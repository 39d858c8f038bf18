import { useEffect, useState } from 'react'

/** The second half of a double click comes within half a second of the first. */
const settleMs = 600

/**
 * Whether something has been on the page long enough to be pressed on purpose: what appears under a pointer must not be agreed to by
 * a click that was meant for what was there before. Null: nothing is waited for.
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

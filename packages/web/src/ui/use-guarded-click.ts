import type { MouseEventHandler } from 'react'
import { useSettled } from './use-settled.ts'

type Click = MouseEventHandler<HTMLButtonElement>

/**
 * What a button needs to refuse a click that was meant for what was there before it: one that comes at once, and the second half of
 * any double click. Keys are never refused, also Enter in a field of its form: it cannot be meant for anything else. A button
 * that is `disabled` would refuse Enter, too.
 */
export function useGuardedClick(isGuarded: boolean, onClick: Click | undefined) {
  const isSettled = useSettled(isGuarded ? 'here' : null)
  if (!isGuarded) return { onClick }
  const guarded: Click = (event) => {
    // A click that a key made counts nothing.
    const isPointer = event.detail > 0
    if (isPointer && (event.detail > 1 || !isSettled)) event.preventDefault()
    else onClick?.(event)
  }
  return { onClick: guarded, 'aria-disabled': isSettled ? undefined : true }
}

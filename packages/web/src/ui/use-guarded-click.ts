import type { MouseEventHandler } from 'react'
import { useSettled } from './use-settled.ts'

type Click = MouseEventHandler<HTMLButtonElement>

/**
 * Props for a button that ignores clicks meant for what was in its place before: clicks right after it appears, and
 * the second half of a double click. Keys always work, because they cannot be meant for something else; `disabled`
 * would block Enter, too.
 */
export function useGuardedClick(isGuarded: boolean, onClick: Click | undefined) {
  const isSettled = useSettled(isGuarded ? 'here' : null)
  if (!isGuarded) return { onClick }
  const guarded: Click = (event) => {
    // A click made by a key has detail 0.
    const isPointer = event.detail > 0
    if (isPointer && (event.detail > 1 || !isSettled)) event.preventDefault()
    else onClick?.(event)
  }
  return { onClick: guarded, 'aria-disabled': isSettled ? undefined : true }
}

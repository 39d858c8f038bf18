import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'
import type { VirtualizerHandle } from 'virtua'

/** Whether any part of that row is visible, and a function to call after each scroll. -1: there is no such row. */
export function useInSight(list: RefObject<VirtualizerHandle | null>, row: number): [boolean, () => void] {
  const [isInSight, setInSight] = useState(false)
  const look = useCallback(() => {
    const rows = list.current
    if (!rows || row < 0) return
    const top = rows.getItemOffset(row) - rows.scrollOffset
    setInSight(top < rows.viewportSize && top + rows.getItemSize(row) > 0)
  }, [list, row])
  useLayoutEffect(look, [look])
  return [isInSight, look]
}

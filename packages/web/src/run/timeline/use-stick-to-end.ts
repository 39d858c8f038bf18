import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** As near to the end as a reader means when they are at it. */
const nearPx = 48

/** For so long after a key, a wheel or a finger a list that moves was moved by it. */
const movedByHandMs = 500

/** Keys that go up. A key or a click of any other kind moves nothing, but rows may change at the same moment. */
const keysUp = ['ArrowUp', 'PageUp', 'Home', 'Tab', ' ']

/**
 * Keeps a list at its end while it grows, unless the reader went up; then it counts what came since. Only somebody who
 * moves up leaves the end: a list that grew by itself, or moved because its rows were measured, has not been left.
 */
export function useStickToEnd(scroller: RefObject<HTMLElement | null>, length: number) {
  const [isAtEnd, setAtEnd] = useState(true)
  const atEnd = useRef(true)
  const top = useRef(0)
  const height = useRef(0)
  const touchedAt = useRef(Number.NEGATIVE_INFINITY)
  const seen = useRef(length)
  if (atEnd.current) seen.current = length

  const put = useCallback((is: boolean) => {
    if (atEnd.current === is) return
    atEnd.current = is
    setAtEnd(is)
  }, [])
  const follow = useCallback(() => {
    const box = scroller.current
    if (!box || !atEnd.current) return
    box.scrollTop = box.scrollHeight
    top.current = box.scrollTop
    height.current = box.scrollHeight
  }, [scroller])
  const onScroll = useCallback(() => {
    const box = scroller.current
    if (!box) return
    const left = box.scrollHeight - box.scrollTop - box.clientHeight
    const isUp = box.scrollTop < top.current - 2 && left > 2
    const isMoved =
      box.scrollHeight === height.current || performance.now() - touchedAt.current < movedByHandMs
    top.current = box.scrollTop
    height.current = box.scrollHeight
    if (!isUp && left < nearPx) put(true)
    else if (isUp && isMoved) put(false)
    else follow()
  }, [scroller, put, follow])
  const toEnd = useCallback(() => {
    put(true)
    follow()
  }, [put, follow])
  const leave = useCallback(() => put(false), [put])
  /** What somebody opens stays where it is, and grows downwards, also where the list was at its end. */
  const hold = useCallback(
    (event: Event) => {
      const isFold = event.target instanceof Element && event.target.closest('[aria-expanded]') !== null
      if (!isFold || !atEnd.current) return
      atEnd.current = false
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          const box = scroller.current
          if (!box || atEnd.current) return
          atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < nearPx
          setAtEnd(atEnd.current)
        }),
      )
    },
    [scroller],
  )

  useLayoutEffect(() => {
    if (length > 0) follow()
  }, [follow, length])
  // The list would hear of it a frame later, and make the rows of its beginning meanwhile.
  useLayoutEffect(() => void scroller.current?.dispatchEvent(new Event('scroll')), [scroller])
  // A keyboard that comes up, or a composer that grows, makes the window on the list smaller.
  useEffect(() => {
    const box = scroller.current
    if (!box) return
    const watch = new ResizeObserver(follow)
    watch.observe(box)
    // Rows are measured after they are put in, and pictures come later still.
    for (const part of box.children) watch.observe(part)
    const touched = (event: Event) => {
      if (event instanceof KeyboardEvent && !keysUp.includes(event.key)) return
      // Only on the box itself: there is its scroll bar, and everything else is for clicking.
      if (event instanceof PointerEvent && event.target !== box) return
      touchedAt.current = performance.now()
    }
    const kinds = ['wheel', 'touchmove', 'keydown', 'pointerdown']
    for (const kind of kinds) box.addEventListener(kind, touched, { passive: true })
    // Before the row hears of it, and grows.
    box.addEventListener('click', hold, { capture: true })
    return () => {
      watch.disconnect()
      for (const kind of kinds) box.removeEventListener(kind, touched)
      box.removeEventListener('click', hold, { capture: true })
    }
  }, [scroller, follow, hold])
  return { isAtEnd, unseen: Math.max(0, length - seen.current), onScroll, toEnd, follow, leave }
}

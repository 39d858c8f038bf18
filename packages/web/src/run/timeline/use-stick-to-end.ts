import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Within this distance, the list counts as being at its end. */
const nearPx = 48

/** For this long after a key, wheel or touch event, a scroll counts as made by the user. */
const movedByHandMs = 500

/** Keys that scroll up. Other keys and clicks scroll nothing, but rows may change at the same moment. */
const keysUp = ['ArrowUp', 'PageUp', 'Home', 'Tab', ' ']

/**
 * Keeps a growing list scrolled to its end until the user scrolls up; then counts the new rows. Only the user
 * leaves the end: a list that grew, or moved because its rows were measured, has not been left.
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
  /** A section that the user opens stays in place and grows downwards, even at the end of the list. */
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
  // Without this the virtual list learns of the scroll one frame later, and renders its first rows meanwhile.
  useLayoutEffect(() => void scroller.current?.dispatchEvent(new Event('scroll')), [scroller])
  // An on-screen keyboard or a growing composer makes the list smaller.
  useEffect(() => {
    const box = scroller.current
    if (!box) return
    const watch = new ResizeObserver(follow)
    watch.observe(box)
    // Rows are measured after they are inserted, and images load later.
    for (const part of box.children) watch.observe(part)
    const touched = (event: Event) => {
      if (event instanceof KeyboardEvent && !keysUp.includes(event.key)) return
      // A pointer on the box itself is on its scroll bar; anywhere else it is a click.
      if (event instanceof PointerEvent && event.target !== box) return
      touchedAt.current = performance.now()
    }
    const kinds = ['wheel', 'touchmove', 'keydown', 'pointerdown']
    for (const kind of kinds) box.addEventListener(kind, touched, { passive: true })
    // In the capture phase, before the click makes the row grow.
    box.addEventListener('click', hold, { capture: true })
    return () => {
      watch.disconnect()
      for (const kind of kinds) box.removeEventListener(kind, touched)
      box.removeEventListener('click', hold, { capture: true })
    }
  }, [scroller, follow, hold])
  return { isAtEnd, unseen: Math.max(0, length - seen.current), onScroll, toEnd, follow, leave }
}

import { type RefObject, useEffect, useRef, useState } from 'react'

/** Whether a title is being typed over; who came with the keyboard is afterwards back at the menu inside of `box`, or at what else led there. */
export function useRenaming(box: RefObject<HTMLElement | null>) {
  const [isRenaming, setRenaming] = useState(false)
  const was = useRef(false)
  useEffect(() => {
    const isOver = was.current && !isRenaming
    was.current = isRenaming
    // Whoever went on to something else stays there.
    if (isOver && document.activeElement === document.body)
      box.current?.querySelector<HTMLElement>('[aria-haspopup], [data-renames]')?.focus()
  }, [box, isRenaming])
  return [isRenaming, setRenaming] as const
}

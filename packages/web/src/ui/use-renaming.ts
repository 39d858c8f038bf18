import { type RefObject, useEffect, useRef, useState } from 'react'

/**
 * Whether a title is being edited. After editing by keyboard, the focus goes back to the menu or rename button
 * inside `box`.
 */
export function useRenaming(box: RefObject<HTMLElement | null>) {
  const [isRenaming, setRenaming] = useState(false)
  const was = useRef(false)
  useEffect(() => {
    const isOver = was.current && !isRenaming
    was.current = isRenaming
    // If the user went on to something else, leave the focus there.
    if (isOver && document.activeElement === document.body)
      box.current?.querySelector<HTMLElement>('[aria-haspopup], [data-renames]')?.focus()
  }, [box, isRenaming])
  return [isRenaming, setRenaming] as const
}

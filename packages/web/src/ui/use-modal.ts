import { type RefObject, useEffect, useLayoutEffect } from 'react'

/**
 * Shows a dialog over everything else for as long as it is there. Escape closes it, and so does a press on it for which
 * `isBeside` holds.
 */
export function useModal(
  dialog: RefObject<HTMLDialogElement | null>,
  onClose: () => void,
  isBeside: (pressed: Element, dialog: HTMLDialogElement) => boolean,
): void {
  // Before it leaves the page: one that is no longer there gives the focus back to nobody.
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [dialog])
  useEffect(() => {
    const shown = dialog.current
    if (!shown) return
    const onCancel = (event: Event) => {
      // A field in it has one of its own, for a file that was not chosen.
      if (event.target !== shown) return
      event.preventDefault()
      onClose()
    }
    const onClick = ({ target }: Event) => isBeside(target as Element, shown) && onClose()
    shown.addEventListener('cancel', onCancel)
    shown.addEventListener('click', onClick)
    return () => {
      shown.removeEventListener('cancel', onCancel)
      shown.removeEventListener('click', onClick)
    }
  }, [dialog, onClose, isBeside])
}

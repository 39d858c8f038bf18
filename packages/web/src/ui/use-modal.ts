import { type RefObject, useEffect, useLayoutEffect } from 'react'

/** Shows a dialog as modal while it is mounted. Escape closes it, and so does a click for which `isBeside` returns true. */
export function useModal(
  dialog: RefObject<HTMLDialogElement | null>,
  onClose: () => void,
  isBeside: (pressed: Element, dialog: HTMLDialogElement) => boolean,
): void {
  // Close it before it leaves the page: a removed dialog does not give the focus back.
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [dialog])
  useEffect(() => {
    const shown = dialog.current
    if (!shown) return
    const onCancel = (event: Event) => {
      // File inputs inside the dialog also send `cancel` events.
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

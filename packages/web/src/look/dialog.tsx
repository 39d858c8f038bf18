import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import css from './dialog.module.css'
import { IconButton } from './icon-button.tsx'

type Props = { title: string; onClose: () => void; children: ReactNode; buttons?: ReactNode }

/** A sheet over everything else, open for as long as it is there. Escape and a press beside it call `onClose`. */
export function Dialog({ title, onClose, children, buttons }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const name = useId()
  // Before it leaves the page: one that is no longer there gives the focus back to nobody.
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key for it, and it comes as `cancel`.
    <dialog
      ref={dialog}
      className={css.dialog}
      aria-labelledby={name}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className={css.inside}>
        <div className={css.head}>
          <h2 id={name}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </div>
        <div className={css.body}>{children}</div>
        {buttons && <div className={css.buttons}>{buttons}</div>}
      </div>
    </dialog>
  )
}

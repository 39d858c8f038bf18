import { type ReactNode, useId, useRef } from 'react'
import css from './dialog.module.css'
import { IconButton } from './icon-button.tsx'
import { useModal } from './use-modal.ts'

type Props = { title: string; onClose: () => void; children: ReactNode; buttons?: ReactNode }

/** A modal dialog, open while it is mounted. Escape and a click beside it call `onClose`. */
export function Dialog({ title, onClose, children, buttons }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const name = useId()
  useModal(dialog, onClose, isDialogItself)
  return (
    <dialog ref={dialog} className={css.dialog} aria-labelledby={name}>
      <div className={css.inside}>
        <div className={css.head}>
          <h2 id={name} dir="auto">
            {title}
          </h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </div>
        <div className={css.body}>{children}</div>
        {buttons && <div className={css.buttons}>{buttons}</div>}
      </div>
    </dialog>
  )
}

/** A click on the backdrop has the dialog itself as its target. */
const isDialogItself = (pressed: Element, dialog: HTMLDialogElement) => pressed === dialog

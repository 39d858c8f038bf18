import { useRef } from 'react'
import { IconButton } from '../ui/icon-button.tsx'
import { useModal } from '../ui/use-modal.ts'
import css from './whole-picture.module.css'

type Props = { url: string; name: string; onClose: () => void; onSave?: (() => void) | undefined }

/** A picture as large as the screen allows. Escape and a click beside it call `onClose`. */
export function WholePicture({ url, name, onClose, onSave }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  useModal(dialog, onClose, isBeside)
  return (
    <dialog ref={dialog} className={css.whole} aria-label={name}>
      <div className={css.head}>
        <span className={css.name}>{name}</span>
        {onSave && <IconButton icon="download" label={`Save ${name}`} onClick={onSave} />}
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      <img className={css.picture} src={url} alt={name} />
    </dialog>
  )
}

const isBeside = (pressed: Element) => pressed.closest('button, img') === null

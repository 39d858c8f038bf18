import { useEffect, useRef } from 'react'
import { IconButton } from '../look/icon-button.tsx'
import css from './whole-picture.module.css'

type Props = { url: string; name: string; onClose: () => void; onSave?: (() => void) | undefined }

/** A picture as large as the screen allows, over everything else. Escape and a press beside it call `onClose`. */
export function WholePicture({ url, name, onClose, onSave }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key for it, and it comes as `cancel`.
    <dialog
      ref={dialog}
      className={css.whole}
      aria-label={name}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={({ target }) => (target as Element).closest('button, img') || onClose()}
    >
      <div className={css.head}>
        <span className={css.name}>{name}</span>
        {onSave && <IconButton icon="download" label={`Save ${name}`} onClick={onSave} />}
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      <img className={css.picture} src={url} alt={name} />
    </dialog>
  )
}

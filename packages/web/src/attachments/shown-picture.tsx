import { useEffect, useRef, useSyncExternalStore } from 'react'
import { IconButton } from '../ui/icon-button.tsx'
import { useModal } from '../ui/use-modal.ts'
import css from './shown-picture.module.css'
import { type LoadBytes, usePicture } from './use-picture.ts'

type Shown = {
  name: string
  mimeType: string | undefined
  load: LoadBytes
  onSave?: (() => void) | undefined
}

let shown: Shown | null = null
const listeners = new Set<() => void>()

function become(now: Shown | null) {
  shown = now
  for (const listener of listeners) listener()
}

/** Shows a picture over the whole page, in `ShownPicture`. */
export const showPicture = (picture: Shown): void => become(picture)

const hide = () => become(null)
const current = () => shown
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * The picture that the user opened. It is not rendered in its own row: the virtual list removes rows that scroll
 * out of sight, and would close the picture with the row.
 */
export function ShownPicture() {
  const picture = useSyncExternalStore(subscribe, current)
  useEffect(() => hide, [])
  return picture && <Loaded key={picture.name} {...picture} />
}

function Loaded({ name, mimeType, load, onSave }: Shown) {
  const picture = usePicture(load, mimeType)
  if (picture.is !== 'there') return null
  return <WholePicture url={picture.url} name={name} onClose={hide} onSave={onSave} />
}

type Props = { url: string; name: string; onClose: () => void; onSave?: (() => void) | undefined }

/** A picture as large as the screen allows. Escape and a click beside it call `onClose`. */
function WholePicture({ url, name, onClose, onSave }: Props) {
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

import { useMemo, useState } from 'react'
import { mayBePicture } from '../attachments/may-be-picture.ts'
import { showPicture } from '../attachments/shown-picture.tsx'
import { usePicture } from '../attachments/use-picture.ts'
import { showHiddenCharacters } from '../text/show-hidden-characters.ts'
import { sizeInWords } from '../text/size-in-words.ts'
import { Icon } from '../ui/icon.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import css from './attachment-chips.module.css'
import type { AttachmentUpload } from './use-attachment-uploads.ts'

type Shared = {
  onRemove: (key: string) => void
  onResend: (one: AttachmentUpload) => void
  fetchBlob: (hash: string) => Promise<Uint8Array>
}

/** The files attached to the message being written, with their upload progress. */
export function AttachmentChips({ all, ...shared }: Shared & { all: readonly AttachmentUpload[] }) {
  if (all.length === 0) return null
  return (
    <ul className={css.chips} aria-label="Attachments">
      {all.map((one) => (
        <Chip key={one.key} one={one} {...shared} />
      ))}
    </ul>
  )
}

function Chip({ one, onRemove, onResend, fetchBlob }: Shared & { one: AttachmentUpload }) {
  const { key, name, why } = one
  return (
    <li className={why ? `${css.chip} ${css.failed}` : css.chip}>
      <Preview one={one} fetchBlob={fetchBlob} />
      <span className={css.about}>
        <span className={css.name} dir="auto">
          {showHiddenCharacters(name)}
        </span>
        {why ? <span role="alert">{why}</span> : <Progress one={one} />}
      </span>
      {why && (
        <IconButton isSmall icon="refresh" label={`Upload ${name} again`} onClick={() => onResend(one)} />
      )}
      <IconButton isSmall icon="close" label={`Remove ${name}`} onClick={() => onRemove(key)} />
    </li>
  )
}

function Progress({ one: { name, size, done, attachment } }: { one: AttachmentUpload }) {
  if (attachment) return <span className={css.size}>{sizeInWords(size)}</span>
  const percent = Math.floor(done * 100)
  return (
    <span className={css.sending}>
      <progress className={css.progress} value={done || undefined} max={1} aria-label={`Uploading ${name}`} />
      <span className={css.size}>
        {done > 0 ? `${percent} % of ${sizeInWords(size)}` : sizeInWords(size)}
      </span>
    </span>
  )
}

/** A small preview of a picture; a click shows it in full size. */
function Preview({ one, fetchBlob }: { one: AttachmentUpload; fetchBlob: Shared['fetchBlob'] }) {
  const { name, file, attachment } = one
  const about = file ? { name, mimeType: file.type, size: file.size } : attachment
  const isPicture = about !== null && mayBePicture(about)
  // A file chosen on this page need not be fetched from the hub.
  const hash = file ? null : (attachment?.hash ?? null)
  const load = useMemo(() => {
    if (!isPicture) return null
    if (file) return async () => new Uint8Array(await file.arrayBuffer())
    return hash === null ? null : () => fetchBlob(hash)
  }, [isPicture, file, hash, fetchBlob])
  const picture = usePicture(load, about?.mimeType)
  const [isBroken, setBroken] = useState(false)
  if (!load || picture.is !== 'there' || isBroken)
    return <Icon name={isPicture ? 'image' : 'file'} size={18} />
  return (
    <button
      type="button"
      className={css.preview}
      onClick={() => showPicture({ name, mimeType: about?.mimeType, load })}
    >
      <img src={picture.url} alt={`See ${name}`} onError={() => setBroken(true)} />
    </button>
  )
}

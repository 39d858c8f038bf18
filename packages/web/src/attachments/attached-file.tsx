import type { Attachment } from '@farhand/protocol/methods/conversation'
import { memo, useCallback, useMemo, useState } from 'react'
import { showHiddenCharacters } from '../text/show-hidden-characters.ts'
import { sizeInWords } from '../text/size-in-words.ts'
import { Icon } from '../ui/icon.tsx'
import { saveFile } from '../ui/save-file.ts'
import { Spinner } from '../ui/spinner.tsx'
import { toast } from '../ui/toasts.ts'
import css from './attached-file.module.css'
import { mayBePicture } from './may-be-picture.ts'
import { showPicture } from './shown-picture.tsx'
import { usePicture } from './use-picture.ts'

type Props = { attachment: Attachment; fetchBlob: (hash: string) => Promise<Uint8Array> }

/** A file attached to a message: a picture to look at, or a file to save. */
export const AttachedFile = memo(function AttachedFile({ attachment, fetchBlob }: Props) {
  const { hash, name, mimeType, size } = attachment
  const isPicture = mayBePicture(attachment)
  const load = useMemo(() => (isPicture ? () => fetchBlob(hash) : null), [isPicture, fetchBlob, hash])
  const picture = usePicture(load, mimeType)
  const [isBroken, setBroken] = useState(false)
  const { isSaving, save } = useSaving(
    name,
    useCallback(() => fetchBlob(hash), [fetchBlob, hash]),
  )
  const inWords = size === undefined ? '' : sizeInWords(size)
  if (load && picture.is === 'there' && !isBroken)
    return (
      <button
        type="button"
        className={css.thumb}
        title={[name, inWords].filter(Boolean).join(', ')}
        onClick={() => showPicture({ name, mimeType, load, onSave: save })}
      >
        <img src={picture.url} alt={`See ${name}`} onError={() => setBroken(true)} />
      </button>
    )
  // The placeholder has the size of the picture, so that the text around it does not move when it arrives.
  if (picture.is === 'loading')
    return (
      <span className={css.thumb} role="img" aria-label={`Loading ${name}`}>
        <Spinner />
      </span>
    )
  return (
    <button type="button" className={css.file} title={`Save ${name}`} onClick={save} disabled={isSaving}>
      <Icon name={isPicture ? 'image' : 'file'} size={16} />
      <span className={css.name} dir="auto">
        {showHiddenCharacters(name)}
      </span>
      {inWords && <span className={css.size}>{inWords}</span>}
      {isSaving ? <Spinner size={12} /> : <Icon name="download" size={14} />}
    </button>
  )
})

/** Saves the file as plain bytes: a browser must never open an attachment as a page. */
function useSaving(name: string, load: () => Promise<Uint8Array>) {
  const [isSaving, setSaving] = useState(false)
  const save = async () => {
    setSaving(true)
    try {
      saveFile(name, [(await load()) as BlobPart], 'application/octet-stream')
    } catch (error) {
      toast(`${name} could not be loaded: ${(error as Error).message}`, { tone: 'bad' })
    }
    setSaving(false)
  }
  return { isSaving, save }
}

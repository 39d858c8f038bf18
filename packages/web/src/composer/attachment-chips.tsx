import { useEffect } from 'react'
import { sizeInWords } from '../files/size-in-words.ts'
import { Icon } from '../look/icon.tsx'
import { IconButton } from '../look/icon-button.tsx'
import css from './attachment-chips.module.css'
import type { Attaching } from './use-attaching.ts'

type Props = { all: readonly Attaching[]; onRemove: (key: string) => void; onAgain: (key: string) => void }

/** The files that go along with the message that is being written, and how far each has come. */
export function AttachmentChips({ all, onRemove, onAgain }: Props) {
  if (all.length === 0) return null
  return (
    <ul className={css.chips} aria-label="Files that go along">
      {all.map((one) => (
        <Chip key={one.key} one={one} onRemove={onRemove} onAgain={onAgain} />
      ))}
    </ul>
  )
}

type ChipProps = { one: Attaching; onRemove: (key: string) => void; onAgain: (key: string) => void }

function Chip({ one, onRemove, onAgain }: ChipProps) {
  const { key, name, size, done, attachment, why, preview } = one
  useEffect(() => () => void (preview && URL.revokeObjectURL(preview)), [preview])
  return (
    <li className={why ? `${css.chip} ${css.failed}` : css.chip}>
      {preview ? <img className={css.preview} src={preview} alt="" /> : <Icon name="file" size={18} />}
      <span className={css.about}>
        <span className={css.name}>{name}</span>
        {why ? (
          <span role="alert">{why}</span>
        ) : attachment ? (
          <span className={css.size}>{sizeInWords(size)}</span>
        ) : (
          <progress
            className={css.progress}
            value={done || undefined}
            max={1}
            aria-label={`Sending ${name}`}
          />
        )}
      </span>
      {why && <IconButton isSmall icon="refresh" label={`Send ${name} again`} onClick={() => onAgain(key)} />}
      <IconButton isSmall icon="close" label={`Leave out ${name}`} onClick={() => onRemove(key)} />
    </li>
  )
}

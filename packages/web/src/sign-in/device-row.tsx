import type { Session } from '@farhand/protocol/schemas/sessions'
import { agoInWords } from '@farhand/story/wording/ago-in-words'
import { useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { RenameField } from '../ui/rename-field.tsx'
import { useRenaming } from '../ui/use-renaming.ts'
import css from './sign-in.module.css'

type Props = {
  device: Session
  onEnd: (device: Session) => void
  onRename: (device: Session, name: string) => void
}

/** A signed-in device: its name, since when, and buttons to rename it and sign it out. */
export function DeviceRow({ device, onEnd, onRename }: Props) {
  const { name, isThis, createdAt, lastSeenAt, expiresAt } = device
  const isExpired = Boolean(expiresAt) && Date.parse(expiresAt!) <= Date.now()
  const row = useRef<HTMLLIElement>(null)
  const [isRenaming, setRenaming] = useRenaming(row)
  if (isRenaming)
    return (
      <li className={css.device} ref={row}>
        <RenameField
          title={name}
          label="Name of this device"
          most={100}
          onDone={(typed) => {
            setRenaming(false)
            if (typed !== null) onRename(device, typed)
          }}
        />
      </li>
    )
  return (
    <li className={css.device} ref={row}>
      <p className={css.what}>
        {/* The name must not change the text direction of the words beside it. */}
        <bdi>{name}</bdi>
        {isThis && <span className={css.this}> this device</span>}
        <span className={css.when}>
          since {new Date(createdAt).toLocaleDateString('en', { dateStyle: 'medium' })}
          {lastSeenAt && !isThis && `, ${lastSeenInWords(lastSeenAt, Date.now())}`}
          {isExpired && !isThis && '; has to sign in again, and still gets notifications'}
        </span>
      </p>
      <span className={css.actions}>
        <IconButton data-renames icon="edit" label={`Rename ${name}`} onClick={() => setRenaming(true)} />
        {!isThis && (
          <Button as="danger" isSmall onClick={() => onEnd(device)} aria-label={`Sign out ${name}`}>
            Sign out
          </Button>
        )}
      </span>
    </li>
  )
}

/**
 * When a device was last seen. The hub knows it only to some minutes, so a current device reads the same as one
 * used just before.
 */
export function lastSeenInWords(lastSeenAt: string, nowMs: number): string {
  const ms = nowMs - Date.parse(lastSeenAt)
  if (ms < 6 * 60_000) return 'here a moment ago'
  const ago = agoInWords(lastSeenAt, nowMs)
  return ago.startsWith('20') && ago.includes('-') ? `last seen on ${ago}` : `last seen ${ago} ago`
}

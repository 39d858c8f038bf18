import { type ComponentProps, memo, type ReactNode } from 'react'
import { Icon } from '../ui/icon.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { type Editing, EditMessage } from './edit-message.tsx'
import css from './waiting-list.module.css'
import type { WaitingRow } from './waiting-rows.ts'

type Props = {
  rows: readonly WaitingRow[]
  editing: Editing | null
  /** Whether a turn is running, so that a message can be sent into it. */
  isBusy: boolean
  onEdit: (editing: Editing | null) => void
  onSave: (editing: Editing) => void
  onSteer: (row: WaitingRow) => void
  onWithdraw: (messageId: number) => void
  onDrop: (key: string) => void
  onResend: (key: string) => void
}

/** Messages that the agent has not started, and actions that have not reached the hub. */
export const WaitingList = memo(function WaitingList(props: Props) {
  const { rows, editing, onEdit, onSave } = props
  if (rows.length === 0) return null
  return (
    <section className={css.waiting} aria-label="Waiting messages">
      <ul className={css.list}>
        {rows.map((row) => {
          const edited = editing && row.messageId === editing.messageId ? editing : null
          return (
            <li
              key={row.key}
              className={row.unsent?.state === 'refused' ? `${css.row} ${css.refused}` : css.row}
            >
              {edited ? (
                <EditMessage editing={edited} onChange={onEdit} onSave={onSave} />
              ) : (
                <Row {...props} row={row} />
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
})

function Row({ row, isBusy, onEdit, onSteer, onWithdraw, onDrop, onResend }: Props & { row: WaitingRow }) {
  const { messageId, unsent, text, attachments, note, isSteering, isAbove } = row
  const isRefused = unsent?.state === 'refused'
  return (
    <>
      <span className={css.mark}>
        {unsent?.state === 'sending' ? (
          <Spinner size={12} />
        ) : (
          <Icon name={isRefused ? 'warning' : 'clock'} size={15} />
        )}
      </span>
      <span className={css.about}>
        <span className={css.text} dir="auto">
          {isAbove ? 'The message above' : text || filesInWords(attachments.length)}
        </span>
        <span className={css.note} role={isRefused ? 'alert' : undefined}>
          {note ?? (isBusy ? 'Waits for the turn to end' : 'Waits for the agent')}
          {!isAbove && text !== '' && attachments.length > 0 && ` · ${filesInWords(attachments.length)}`}
        </span>
      </span>
      {messageId !== null && (
        <Buttons>
          {isBusy && !isSteering && <Act icon="send" label="Say it now" onClick={() => onSteer(row)} />}
          <IconButton
            isSmall
            icon="edit"
            label="Edit"
            onClick={() => onEdit({ messageId, text, was: text })}
          />
          <Act icon="trash" label="Withdraw" onClick={() => onWithdraw(messageId)} />
        </Buttons>
      )}
      {unsent && unsent.state !== 'sending' && (
        <Buttons>
          {isRefused && <Act icon="refresh" label="Try again" onClick={() => onResend(unsent.key)} />}
          {unsent.state === 'stale' && (
            <Act icon="send" label="Send it now" onClick={() => onResend(unsent.key)} />
          )}
          <Act icon="trash" label="Discard" onClick={() => onDrop(unsent.key)} />
        </Buttons>
      )}
    </>
  )
}

const Act = (props: ComponentProps<typeof IconButton>) => <IconButton isSmall isGuarded {...props} />

const Buttons = ({ children }: { children: ReactNode }) => <span className={css.buttons}>{children}</span>

const filesInWords = (count: number) => (count === 1 ? '1 file' : `${count} files`)

import type { RunMode } from '@farhand/protocol/schemas/api'
import { randomName } from '@farhand/protocol/wire/ids'
import type { RunStatus } from '@farhand/protocol/wire/run-status'
import type { AgentSide, MessageItem } from '@farhand/story/items/story'
import { memo, useEffect, useMemo, useRef, useState } from 'react'
import { useShortcut } from '../navigation/shortcuts.ts'
import type { RunActions } from '../outbox/actions.ts'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { toast } from '../ui/toasts.ts'
import { AttachmentChips } from './attachment-chips.tsx'
import css from './composer.module.css'
import { currentSettings } from './current-settings.ts'
import type { Draft } from './drafts.ts'
import type { Editing } from './edit-message.tsx'
import { MessageField } from './message-field.tsx'
import { QuickSettings } from './quick-settings.tsx'
import { StopButton } from './stop-button.tsx'
import { meaningOf } from './typed-text.ts'
import { type AttachmentUpload, useAttachmentUploads } from './use-attachment-uploads.ts'
import { drafts, useDraft } from './use-draft.ts'
import { useDrop } from './use-drop.ts'
import { WaitingList } from './waiting-list.tsx'
import { waitingRows } from './waiting-rows.ts'

/** The time limit for a shell command sent from here, in seconds. */
const shellSeconds = 30

type Props = {
  run: string
  agent: AgentSide
  queue: readonly MessageItem[]
  /** The message whose turn is running. */
  turn: number | null
  status: RunStatus
  mode: RunMode
  policy: unknown
  actions: RunActions
  /** Another part of the run is shown; then dropped files are not attached here. */
  isAway: boolean
  /** A stop button is already shown right above, so this one is hidden. */
  isStopAbove: boolean
  /** Text to put into the field, to be changed and sent again. */
  refill: Draft | null
  /** The waiting message that the timeline shows. */
  shownAbove: number | null
  /** The paths of the workspace, loaded when the user starts to type a path. */
  files: () => Promise<readonly string[]>
  /** Fetches the bytes of a file that the hub already has. */
  fetchBlob: (hash: string) => Promise<Uint8Array>
}

/** The area where the user writes. Give it a `key` for each run, or a draft of one run could be sent in another. */
export const Composer = memo(function Composer(props: Props) {
  const { run, agent, queue, turn, status, mode, policy, actions, isAway, files, fetchBlob } = props
  const { isStopAbove, shownAbove, refill } = props
  const { act, unsent } = actions
  const isBusy = turn !== null
  const [before] = useState(() => drafts.of(run))
  const [text, setText] = useState(before.text)
  const [editing, setEditing] = useState<Editing | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const attaching = useAttachmentUploads(actions.attach, before.attachments)
  const attachments = useMemo(
    () => attaching.all.flatMap(({ attachment }) => attachment ?? []),
    [attaching.all],
  )
  useDraft(run, text, attachments, (draft) => {
    setText(draft.text)
    attaching.clear()
    attaching.put(draft.attachments)
  })
  const isOver = useDrop(status === 'closed' || isAway ? null : attaching.add)
  useShortcut('i', 'Write a message', 'This run', () => field.current?.focus())
  const rows = useMemo(() => waitingRows(queue, unsent, shownAbove), [queue, unsent, shownAbove])
  const now = useMemo(() => currentSettings({ agent, mode, policy }, unsent), [agent, mode, policy, unsent])

  // The agent started with the message while the user was changing it: keep the user's new text.
  useEffect(() => {
    if (!editing || rows.some(({ messageId }) => messageId === editing.messageId)) return
    setEditing(null)
    // The text was not changed, so there is nothing to keep.
    if (editing.text === editing.was) return
    setText((already) => [already, editing.text].filter(Boolean).join('\n'))
    toast('The agent has started with that message. Your new text is in the field.')
  }, [editing, rows])

  const { put } = attaching
  useEffect(() => {
    if (!refill) return
    // The text that is already in the field stays below.
    setText((already) => [refill.text, already].filter(Boolean).join('\n'))
    put(refill.attachments)
    field.current?.focus()
  }, [refill, put])

  const meaning = meaningOf(text, attachments.length)
  const isShell = meaning?.is === 'shell'
  // A shell command has no attachments, and need not wait for uploads.
  const isSending = !isShell && attaching.all.some(({ attachment }) => attachment === null)
  const send = (isNow: boolean) => {
    if (!meaning || isSending) return
    if (meaning.is === 'shell') {
      act({ do: 'shell', command: meaning.command, id: randomName(), timeoutSeconds: shellSeconds })
      return setText('')
    }
    act({ do: 'say', text: meaning.text, attachments, when: isNow && isBusy ? 'steer' : 'queue' })
    setText('')
    attaching.clear()
  }
  return (
    <section className={css.composer} aria-label="Write">
      <WaitingList
        {...{ rows, editing, isBusy }}
        onEdit={setEditing}
        onSave={({ messageId, text: words }) => {
          if (words.trim() === '') return
          act({ do: 'edit', messageId, text: words.trim() })
          setEditing(null)
        }}
        onSteer={(row) => {
          const { messageId, text: words, attachments: along } = row
          if (messageId === null) return
          act({ do: 'steer', messageId, text: words, attachments: along }, ({ is }) => {
            if (is === 'needless') toast('That message was no longer waiting, so it was not sent again.')
          })
        }}
        onWithdraw={(messageId) => act({ do: 'withdraw', messageId })}
        onDrop={actions.drop}
        onResend={actions.resend}
      />
      {status === 'closed' ? (
        <ClosedBar
          onOpen={() => act({ do: 'open' })}
          isOpening={unsent.some(({ action }) => action.do === 'open')}
        />
      ) : (
        <div className={isOver ? `${css.box} ${css.over}` : css.box}>
          <AttachmentChips
            all={attaching.all}
            onRemove={attaching.remove}
            onResend={attaching.again}
            fetchBlob={fetchBlob}
          />
          <MessageField
            ref={field}
            text={text}
            placeholder={placeholderOf(status, agent.name)}
            commands={agent.commands}
            files={files}
            onText={setText}
            onSend={send}
            onFiles={attaching.add}
          />
          <div className={css.bar}>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              tabIndex={-1}
              onChange={({ target }) => {
                attaching.add([...(target.files ?? [])])
                // Without this, the same file could not be chosen again after it was removed.
                target.value = ''
              }}
            />
            <IconButton icon="attach" label="Attach files" onClick={() => picker.current?.click()} />
            <QuickSettings {...{ agent, now, act }} />
            <span className={css.hint}>{hintOf(isShell, isOver, attaching.all)}</span>
            {isBusy && meaning?.is === 'say' && (
              <Button
                as="quiet"
                isSmall
                disabled={isSending}
                onClick={() => send(true)}
                title={nowInWords(agent)}
              >
                Say it now
              </Button>
            )}
            {isBusy && (
              <StopButton
                key={turn}
                as="danger"
                // Below another stop button it is invisible but keeps its space: no other button may move under the finger.
                className={isStopAbove ? `${css.stop} ${css.above}` : css.stop}
                onStop={() => act({ do: 'cancel' })}
              />
            )}
            <IconButton
              icon={isShell ? 'terminal' : 'send'}
              label={isShell ? 'Run the command' : isBusy ? 'Send after this turn' : 'Send'}
              className={css.send}
              disabled={!meaning || isSending}
              onClick={() => send(false)}
            />
          </div>
        </div>
      )}
    </section>
  )
})

function placeholderOf(status: RunStatus, agent: string | null): string {
  if (status === 'asleep') return 'Asleep. A message wakes it.'
  if (status === 'failed') return 'The run failed. A message lets it try again.'
  return `Say something to ${agent ?? 'the agent'}`
}

function hintOf(isShell: boolean, isOver: boolean, along: readonly AttachmentUpload[]): string {
  if (isOver) return 'Drop to attach'
  if (isShell) return `A shell command, for up to ${shellSeconds} s`
  if (along.some(({ why }) => why !== null)) return 'Remove or retry the failed files'
  return along.some(({ attachment }) => attachment === null) ? 'Uploading files' : ''
}

const nowInWords = ({ hearsSteering }: AgentSide) =>
  hearsSteering === false
    ? 'Stops the current work and sends this first'
    : 'The agent gets this while it works'

/** Replaces the message field when a run is closed. */
function ClosedBar({ onOpen, isOpening }: { onOpen: () => void; isOpening: boolean }) {
  return (
    <div className={css.closed}>
      <span>This run is closed. Everything in it stays as it is.</span>
      <Button disabled={isOpening} onClick={onOpen}>
        {isOpening ? 'Opening…' : 'Reopen'}
      </Button>
    </div>
  )
}

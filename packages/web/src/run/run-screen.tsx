import type { ListedRun } from '@farhand/protocol/schemas/api'
import { browserName } from '@farhand/protocol/text/browser-name'
import type { Story } from '@farhand/story/items/story'
import { memo, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import { ShownPicture } from '../attachments/shown-picture.tsx'
import type { Draft } from '../composer/drafts.ts'
import { useShortcut } from '../navigation/shortcuts.ts'
import type { RunAction, RunActions } from '../outbox/actions.ts'
import { MayActContext } from '../outbox/may-act.ts'
import type { MenuEntry } from '../ui/menu.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { toast } from '../ui/toasts.ts'
import { ProgressCard } from './progress-card.tsx'
import { type ConnectionWords, RunHeader } from './run-header.tsx'
import css from './run-screen.module.css'
import type { ItemActions } from './timeline/item-view.tsx'
import { Timeline } from './timeline/timeline.tsx'
import { progress } from './view-model/progress.ts'
import { lastMessage, messageOf, retryableItem } from './view-model/retry.ts'
import { runStanding } from './view-model/run-standing.ts'
import { shownItems } from './view-model/shown-items.ts'

type Props = {
  run: string
  part: 'talk' | 'files'
  /** The event in the address. */
  event: number | null
  title: string
  story: Story
  /** Whether the agent works on a computer of the user. */
  isOnUserDevice?: boolean
  /** The run as the hub lists it, once known. */
  listed?: ListedRun | null
  /** Whether the known log has been read: until then an empty story means nothing. */
  isLoaded: boolean
  connection: ConnectionWords
  actions: RunActions
  /** Fetches a long text or an attachment; a stable function. */
  fetchBlob: (hash: string) => Promise<Uint8Array>
  entries: readonly MenuEntry[]
  /** More buttons in the header. */
  buttons?: ReactNode
  /** Renders the composer; `isStopAbove`: the card above it has a stop button. */
  composer: (actions: RunActions, isStopAbove: boolean, refill: Draft | null) => ReactNode
  /** The card of the task, if a program delegated one with this run; null: none did. */
  delegated?: ReactNode
  /** The files page, if it is the part to show. */
  files: ReactNode
}

/** After these actions, the timeline scrolls to its end. */
const seenAtEnd: readonly RunAction['do'][] = ['say', 'shell', 'answer']

/** The page of a run. Everything on it comes from the story and the unsent actions. */
export const RunScreen = memo(function RunScreen(props: Props) {
  const {
    run,
    part,
    event,
    title,
    story,
    listed,
    isOnUserDevice = false,
    isLoaded,
    connection,
    actions,
    fetchBlob,
    entries,
    buttons,
    composer,
    delegated = null,
    files,
  } = props
  const items = useMemo(() => shownItems(story), [story])
  const standing = useMemo(() => runStanding(story, listed), [story, listed])
  // The card above says the same of a task, and stops it.
  const isTask = delegated !== null && story.task.ended === null
  const going = useMemo(() => progress(story, standing), [story, standing])
  const [sentCount, setSentCount] = useState(0)
  // A new object for each request: the composer reacts to its identity.
  const [refill, setRefill] = useState<Draft | null>(null)
  const mayAct = useContext(MayActContext) === 'yes'
  const retryable = useMemo(
    () => (mayAct ? retryableItem(story, actions.unsent) : null),
    [mayAct, story, actions.unsent],
  )
  const { items: storyItems, queue } = story
  const { act: actAndStay, resend } = actions
  const act = useCallback(
    (action: RunAction) => {
      actAndStay(action)
      if (seenAtEnd.includes(action.do)) setSentCount((before) => before + 1)
    },
    [actAndStay],
  )
  const writing = useMemo<RunActions>(() => ({ ...actions, act }), [actions, act])
  const itemActions = useMemo<ItemActions>(
    () => ({
      onAnswer: (questionId, answer) =>
        act({ do: 'answer', questionId, answer, by: browserName(navigator.userAgent) }),
      onResend: resend,
      onStopShell: (id) => act({ do: 'stop-shell', id }),
      onRetry: (messageId) => {
        const message = messageOf(storyItems, messageId)
        if (message) act({ do: 'say', ...message, when: 'queue' })
      },
      onChange: (messageId) => {
        const message = messageOf(storyItems, messageId)
        if (message) setRefill({ ...message })
      },
      // The message still waits or its turn is still open, so it must not be sent again.
      onRetryRun: () => act({ do: 'open' }),
      onChangeRun: changeRun(queue, storyItems, act, setRefill),
      fetchBlob,
    }),
    [act, resend, fetchBlob, storyItems, queue],
  )
  useShortcut('.', 'Stop what the agent does', 'This run', () => going && mayAct && act({ do: 'cancel' }))
  const share: MenuEntry = { label: 'Copy the address', icon: 'link', onChoose: copyAddress }
  return (
    <>
      <RunHeader
        {...{ run, part, title, standing, connection }}
        agent={story.agent.name}
        where={isOnUserDevice ? 'on your computer' : null}
        schedule={listed?.schedule?.name ?? null}
        usage={story.usage}
        entries={[share, ...entries]}
      >
        {buttons}
      </RunHeader>
      {part === 'files' ? (
        files
      ) : (
        <>
          {delegated}
          {items.length > 0 ? (
            <Timeline
              {...{ run, items, event, retryable }}
              actions={itemActions}
              unsent={actions.unsent}
              sentCount={sentCount}
            />
          ) : (
            <div className={css.empty}>
              {isLoaded ? (
                mayAct ? (
                  'Nothing has happened yet. Say what is to be done.'
                ) : (
                  'Nothing has happened yet.'
                )
              ) : (
                <>
                  <Spinner size={18} /> {connection.words}
                </>
              )}
            </div>
          )}
          {going && !isTask && <ProgressCard progress={going} onStop={() => act({ do: 'cancel' })} />}
        </>
      )}
      {/* Keep it mounted while the files are shown, so that drafts and uploads go on. */}
      <div className={part === 'files' ? css.away : css.here}>
        {composer(writing, isTask || (going !== null && going.steps.length > 0), refill)}
      </div>
      <ShownPicture />
    </>
  )
})

/** Puts the last message back into the field: a waiting message is withdrawn first. */
function changeRun(
  queue: Story['queue'],
  items: Story['items'],
  act: (action: RunAction) => void,
  refill: (given: Draft) => void,
): (() => void) | null {
  const waiting = queue.at(-1) ?? null
  const message = waiting ?? lastMessage(items)
  if (!message) return null
  return () => {
    if (waiting) act({ do: 'withdraw', messageId: waiting.id })
    refill({ text: message.text, attachments: message.attachments })
  }
}

async function copyAddress() {
  try {
    await navigator.clipboard.writeText(location.href)
    toast('The address is copied.')
  } catch {
    // Browsers offer the clipboard only on https pages and on localhost.
    toast('The browser does not allow copying here.', { tone: 'bad' })
  }
}

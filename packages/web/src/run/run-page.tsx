import type { RunId } from '@farhand/protocol/wire/ids'
import { lazy, useCallback, useEffect, useMemo, useState } from 'react'
import { RunComposer } from '../composer/run-composer.tsx'
import type { LiveRun } from '../live/live-run.ts'
import { useListedRun } from '../live/use-listed-run.ts'
import { useLive, useRun } from '../live/use-live.ts'
import { MuteButton } from '../notifications/mute-button.tsx'
import { useLooking } from '../notifications/use-looking.ts'
import { MayActContext } from '../outbox/may-act.ts'
import { LazyPart } from '../page/lazy-part.tsx'
import { PlainPage } from '../page/plain-page.tsx'
import { useSeen } from '../run-list/use-seen.ts'
import { markPageShown } from '../scheduling/when-shown.ts'
import { othersOf, PresentUsers } from '../sharing/present-users.tsx'
import { ViewOnly } from '../sharing/view-only.tsx'
import { recheckSignIn, useSignedInUser } from '../sign-in/session.ts'
import { CloseDialog } from './close-dialog.tsx'
import { DelegatedCard } from './delegated/delegated-card.tsx'
import { RewindContext, type RewindRequest } from './rewind/rewind-context.ts'
import { useUndoRewind } from './rewind/use-undo-rewind.ts'
import { RenameContext } from './run-header.tsx'
import { RunScreen } from './run-screen.tsx'
import { useConnectionWords } from './use-connection-words.ts'
import { useRunMenu } from './use-run-menu.ts'
import { useRunSources } from './use-run-sources.ts'
import { runStanding, runTitle } from './view-model/run-standing.ts'

const FilesPage = lazy(() => import('../files/files-page.tsx').then((it) => ({ default: it.FilesPage })))

const ShareDialog = lazy(() =>
  import('../sharing/share-dialog.tsx').then((it) => ({ default: it.ShareDialog })),
)

const ForkOrRewindDialog = lazy(() =>
  import('./rewind/fork-or-rewind-dialog.tsx').then((it) => ({ default: it.ForkOrRewindDialog })),
)

type Props = { run: string; part: 'talk' | 'files'; event: number | null }

/** The page of the run in the address, live while it is shown. */
export function RunPage(props: Props) {
  const live = useLive().run(props.run)
  if (!live) return <NoSuchRun />
  return <KnownRun key={props.run} {...props} run={props.run as RunId} live={live} />
}

function KnownRun({ run, part, event, live }: Props & { run: RunId; live: LiveRun }) {
  const { hub, runs } = useLive()
  const { about, story, connection, actions, presence } = useRun(run)!
  const listed = useListedRun(run)
  const words = useConnectionWords(connection)
  const [isClosing, setClosing] = useState(false)
  const [isSharing, setSharing] = useState(false)
  const me = useSignedInUser()
  const [asked, setAsked] = useState<RewindRequest | null>(null)
  const title = runTitle(listed?.title, story)
  const { status, lastActivityAt } = story.view
  const { source, fetchBlob, paths } = useRunSources(live, about)
  const others = useMemo(() => othersOf(presence, me), [presence, me])
  useLooking(hub, run, others.people.length > 0)
  useEffect(() => {
    if (connection.is === 'refused' && connection.why === 'signed-out') void recheckSignIn()
  }, [connection])
  const isOnTheWay = connection.is === 'connecting' || connection.is === 'catching-up'
  useEffect(() => {
    if (!isOnTheWay) markPageShown()
  }, [isOnTheWay])
  useSeen(hub, run, story.lastId, lastActivityAt)
  useTabTitle(`${runStanding(story, listed).words} · ${title}`)

  const isOnUserDevice = (story.view.place ?? about?.sandbox) === 'none'
  const isOver = status === 'closed' || status === 'failed'
  const isArchived = listed?.isArchived ?? false
  const { act } = actions
  const onClose = useCallback(() => setClosing(true), [])
  const onShare = useCallback(() => setSharing(true), [])
  const role = listed?.role
  const mayAct = role === 'viewer' ? 'viewer' : 'yes'
  const undo = useUndoRewind(story, source, setAsked)
  const back = useMemo(() => ({ ask: setAsked, undo, isOver }), [undo, isOver])
  const { entries, onRename } = useRunMenu({
    runs,
    about,
    isArchived,
    role,
    isOver,
    act,
    onShare,
    onClose,
    onBack: setAsked,
  })

  if (connection.is === 'refused' && connection.why === 'unknown' && story.items.length === 0)
    return <NoSuchRun />
  return (
    <MayActContext value={mayAct}>
      <RewindContext value={mayAct === 'yes' && source ? back : null}>
        <RenameContext value={onRename}>
          <RunScreen
            {...{ run, part, event, title, story, listed, isOnUserDevice, actions, entries, fetchBlob }}
            isLoaded={connection.is === 'live' || connection.is === 'ended'}
            connection={words}
            buttons={
              <>
                <PresentUsers {...others} />
                <MuteButton hub={hub} run={run} isMuted={listed?.isMuted ?? false} />
              </>
            }
            composer={(writing, isStopAbove, refill) =>
              mayAct !== 'yes' ? (
                <ViewOnly>You may see this run, not work in it.</ViewOnly>
              ) : (
                <RunComposer
                  {...{ run, story, fetchBlob, isStopAbove, refill }}
                  isAway={part === 'files'}
                  actions={writing}
                  files={paths}
                />
              )
            }
            delegated={listed?.delegated ? <DelegatedCard {...{ hub, run, story }} /> : null}
            files={
              <LazyPart as="inside">{source && <FilesPage source={source} actions={actions} />}</LazyPart>
            }
          />
        </RenameContext>
        {isClosing && (
          <CloseDialog
            onClose={() => setClosing(false)}
            onAgree={() => {
              setClosing(false)
              actions.act({ do: 'close' })
            }}
          />
        )}
        {isSharing && about && (
          <LazyPart as="aside" onFail={() => setSharing(false)}>
            <ShareDialog {...{ hub, about, role }} onClose={() => setSharing(false)} />
          </LazyPart>
        )}
        {asked && source && (
          <LazyPart as="aside" onFail={() => setAsked(null)}>
            <ForkOrRewindDialog
              {...{ asked, source, title }}
              isOnUserDevice={isOnUserDevice}
              isWorking={story.view.openTurns.length > 0}
              onStop={() => act({ do: 'cancel' })}
              onClose={() => setAsked(null)}
            />
          </LazyPart>
        )}
      </RewindContext>
    </MayActContext>
  )
}

function NoSuchRun() {
  return (
    <PlainPage title="Run not found">
      <p>The address may be incomplete, or the run may belong to another user.</p>
    </PlainPage>
  )
}

/** Sets the title of the browser tab while the page is shown. */
function useTabTitle(title: string): void {
  useEffect(() => {
    document.title = title
    return () => {
      document.title = 'Farhand'
    }
  }, [title])
}

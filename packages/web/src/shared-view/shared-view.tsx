import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import { sharedRun } from '@farhand/client/resources/sharing'
import type { SharedRun } from '@farhand/protocol/schemas/sharing'
import { useEffect, useState } from 'react'
import { Live } from '../live/live.ts'
import { LiveContext, useLive, useRun } from '../live/use-live.ts'
import type { RunActions } from '../outbox/actions.ts'
import { MayActContext } from '../outbox/may-act.ts'
import { RunScreen } from '../run/run-screen.tsx'
import { useConnectionWords } from '../run/use-connection-words.ts'
import { useRunSources } from '../run/use-run-sources.ts'
import css from '../sharing/sharing.module.css'
import { ViewOnly } from '../sharing/view-only.tsx'
import { ToastStack } from '../ui/toast-stack.tsx'

type State = { is: 'asking' } | { is: 'refused'; why: string } | { is: 'shown'; about: SharedRun; live: Live }

/** The page of a run for a guest who has its link, and is no user of this hub. */
export function SharedView({ token }: { token: string }) {
  const [state, setState] = useState<State>({ is: 'asking' })
  useEffect(() => {
    let isGone = false
    const hub: Hub = { url: location.origin, token }
    const begun = begin(hub).catch((error: unknown): State => ({ is: 'refused', why: whyNot(error) }))
    void begun.then((next) => isGone || setState(next))
    return () => {
      isGone = true
      void begun.then(async (made) => {
        if (made.is === 'shown') await made.live.end()
      })
    }
  }, [token])
  if (state.is === 'asking') return <main className={css.plain} aria-busy="true" />
  if (state.is === 'refused')
    return (
      <main className={css.plain}>
        <h1>This run is not shown any more</h1>
        <p role="alert">{state.why}</p>
      </main>
    )
  return (
    <LiveContext value={state.live}>
      <MayActContext value="guest">
        <main className={css.page}>
          <SharedRunScreen about={state.about} />
        </main>
        <ToastStack />
      </MayActContext>
    </LiveContext>
  )
}

async function begin(hub: Hub): Promise<State> {
  const about = await sharedRun(hub)
  return { is: 'shown', about, live: await Live.forGuest(hub, about) }
}

const whyNot = (error: unknown): string =>
  error instanceof Refusal && error.status === 401
    ? 'The link has expired, was revoked, or is incomplete. Ask for a new one.'
    : 'The hub does not answer. Load the page again later.'

/** A guest has nothing to send. */
const noActions: RunActions = {
  act: () => {},
  drop: () => {},
  resend: () => {},
  attach: () => Promise.reject(new Error('a guest cannot attach files')),
  unsent: [],
}

function SharedRunScreen({ about }: { about: SharedRun }) {
  const live = useLive().run(about.id)!
  const { story, connection } = useRun(about.id)!
  const { fetchBlob } = useRunSources(live, about)
  const words = useConnectionWords(connection)
  const isOver = connection.is === 'refused'
  return (
    <RunScreen
      run={about.id}
      part="talk"
      event={null}
      title={about.title}
      story={story}
      isOnUserDevice={false}
      isLoaded={connection.is === 'live' || connection.is === 'ended'}
      connection={words}
      actions={noActions}
      fetchBlob={fetchBlob}
      entries={[]}
      composer={() => (
        <ViewOnly>
          {isOver ? 'This link shows the run no more.' : `Shared view until ${untilInWords(about.expiresAt)}`}
        </ViewOnly>
      )}
      files={null}
    />
  )
}

const untilInWords = (time: string) =>
  new Date(time).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })

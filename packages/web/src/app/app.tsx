import { lazy, type ReactNode, useEffect, useMemo, useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { go, useRoute } from '../navigation/location.ts'
import type { Route } from '../navigation/route.ts'
import { listenToKeys, useShortcut } from '../navigation/shortcuts.ts'
import { NotificationsPart } from '../notifications/notifications-part.tsx'
import { LazyPart } from '../page/lazy-part.tsx'
import { PlainPage } from '../page/plain-page.tsx'
import { RunPage } from '../run/run-page.tsx'
import { RunListPanel } from '../run-list/run-list-panel.tsx'
import { markPageShown, whenPageShown } from '../scheduling/when-shown.ts'
import { Devices } from '../sign-in/devices.tsx'
import { markTabFocus } from '../ui/mark-tab-focus.ts'
import { ToastStack } from '../ui/toast-stack.tsx'
import { useMediaQuery } from '../ui/use-media-query.ts'
import css from './frame.module.css'

const Account = lazy(() => import('../account/account.tsx').then((it) => ({ default: it.Account })))
const ShortcutSheet = lazy(() => import('./shortcut-sheet.tsx').then((it) => ({ default: it.ShortcutSheet })))
const NewRun = lazy(() => import('../new-run/new-run-page.tsx').then((it) => ({ default: it.NewRunHere })))
const JoinPage = lazy(() => import('../sharing/join-page.tsx').then((it) => ({ default: it.JoinPage })))
const SettingsPage = lazy(() =>
  import('../settings/settings-page.tsx').then((it) => ({ default: it.SettingsPage })),
)
const SchedulesPage = lazy(() =>
  import('../schedules/schedules-page.tsx').then((it) => ({ default: it.SchedulesPage })),
)
const SchedulePage = lazy(() =>
  import('../schedules/schedule-page.tsx').then((it) => ({ default: it.SchedulePage })),
)
const NewSchedulePage = lazy(() =>
  import('../schedules/edit-schedule.tsx').then((it) => ({ default: it.NewSchedulePage })),
)

/** The whole app for a signed-in user: the list of runs, and the page that the address names. */
export function App() {
  const route = useRoute()
  const { hub, runs } = useLive()
  const [isSheet, setSheet] = useState(false)
  useEffect(listenToKeys, [])
  useEffect(markTabFocus, [])
  useEffect(() => {
    if (route.is !== 'run') markPageShown()
  }, [route.is])
  useShortcut('?', 'Show keyboard shortcuts', 'Everywhere', () => setSheet(true))
  useShortcut('n', 'Start a run', 'Everywhere', () => go({ is: 'new' }))
  useShortcut('g r', 'Go to the list of runs', 'Everywhere', () => go({ is: 'runs' }))
  useShortcut('g c', 'Go to the schedules', 'Everywhere', () => go({ is: 'schedules' }))
  useShortcut('g s', 'Go to the settings', 'Everywhere', () => go({ is: 'settings' }))
  const chosen = route.is === 'run' ? route.run : null
  const list = useMemo(() => <RunListPanel source={runs} chosen={chosen} />, [runs, chosen])
  const settings = (
    <SettingsPage
      notifications={<NotificationsPart hub={hub} />}
      devices={<Devices />}
      account={
        <LazyPart as="inside">
          <Account />
        </LazyPart>
      }
      onKeys={() => setSheet(true)}
    />
  )
  const page = pageOf(route, settings)
  const isListDue = useListDue(page === null)
  return (
    <>
      <Frame
        list={isListDue && <LazyPart as="inside">{list}</LazyPart>}
        // The key gives every page its own error boundary: one failed page does not block the others.
        page={page && <LazyPart key={`${route.is} ${chosen}`}>{page}</LazyPart>}
      />
      <ToastStack />
      {isSheet && (
        <LazyPart as="aside" onFail={() => setSheet(false)}>
          <ShortcutSheet onClose={() => setSheet(false)} />
        </LazyPart>
      )}
    </>
  )
}

function pageOf(route: Route, settings: ReactNode): ReactNode | null {
  switch (route.is) {
    case 'runs':
    // A signed-in user has no use for the sign-in page.
    case 'in':
      return null
    case 'run':
      return <RunPage {...route} />
    case 'join':
      return <JoinPage invitation={route.invitation} />
    case 'new':
      return <NewRun />
    case 'schedules':
      return <SchedulesPage />
    case 'new-schedule':
      return <NewSchedulePage />
    case 'schedule':
      return <SchedulePage key={route.schedule} schedule={route.schedule} />
    case 'settings':
      return settings
    case 'nowhere':
      return (
        <PlainPage title="Page not found">
          <p>There is no page at this address.</p>
        </PlainPage>
      )
  }
}

/** Keep this in step with the media query for narrow screens in `frame.module.css`. */
const isNarrow = '(max-width: 760px), (max-width: 999px) and (max-height: 500px) and (pointer: coarse)'

/** Whether to render the list of runs: at once where it is visible, otherwise when the page has shown its main content. */
function useListDue(isAlone: boolean): boolean {
  const [isDue, setDue] = useState(false)
  const isHidden = useMediaQuery(isNarrow) && !isAlone
  useEffect(() => {
    let isGone = false
    void whenPageShown().then(() => isGone || setDue(true))
    return () => {
      isGone = true
    }
  }, [])
  // Keep the list once it is rendered, so that going back to it finds the same scroll position.
  useEffect(() => {
    if (!isHidden) setDue(true)
  }, [isHidden])
  return isDue || !isHidden
}

type Props = {
  /** The list of runs: beside the page on wide screens, alone on a phone. */
  list: ReactNode
  /** The page beside the list; null: no page is chosen. */
  page: ReactNode | null
}

/** Shows list and page side by side, or only one of them on narrow screens. */
export function Frame({ list, page }: Props) {
  // A phone shows only one of the two, and exactly one must have the role `main`.
  const [ofList, ofPage] = page === null ? ['main', undefined] : [undefined, 'main']
  return (
    <div className={css.frame} data-shows={page === null ? 'list' : 'page'}>
      <a className={css.skip} href="#page">
        Skip to the page
      </a>
      <div className={css.list} role={ofList}>
        <nav className={css.runs} aria-label="Runs">
          {list}
        </nav>
      </div>
      <div className={css.page} id="page" tabIndex={-1} role={ofPage}>
        {page ?? <aside className={css.nothing}>Choose a run, or start one.</aside>}
      </div>
    </div>
  )
}

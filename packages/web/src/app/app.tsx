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
import { markPageShown } from '../scheduling/when-shown.ts'
import { Devices } from '../sign-in/devices.tsx'
import { markTabFocus } from '../ui/mark-tab-focus.ts'
import { ToastStack } from '../ui/toast-stack.tsx'
import { Frame } from './frame.tsx'
import { useListDue } from './use-list-due.ts'

const ShortcutSheet = lazy(() => import('./shortcut-sheet.tsx').then((it) => ({ default: it.ShortcutSheet })))
const NewRun = lazy(() => import('../new-run/new-run-page.tsx').then((it) => ({ default: it.NewRunHere })))
const SettingsPage = lazy(() =>
  import('../settings/settings-page.tsx').then((it) => ({ default: it.SettingsPage })),
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
  useShortcut('g s', 'Go to the settings', 'Everywhere', () => go({ is: 'settings' }))
  const chosen = route.is === 'run' ? route.run : null
  const list = useMemo(() => <RunListPanel source={runs} chosen={chosen} />, [runs, chosen])
  const settings = (
    <SettingsPage
      notifications={<NotificationsPart hub={hub} />}
      devices={<Devices />}
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
    case 'new':
      return <NewRun />
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

import type { ComponentType, ReactNode } from 'react'
import { useEffect } from 'react'
import { Frame } from '../src/app/app.tsx'
import { FilesPage } from '../src/files/files-page.tsx'
import { listenToKeys } from '../src/navigation/shortcuts.ts'
import { NewRunPage } from '../src/new-run/new-run-page.tsx'
import { RunListPanel } from '../src/run-list/run-list-panel.tsx'
import type { RunListSource } from '../src/run-list/run-list-source.ts'
import { markSeen } from '../src/run-list/seen-in-browser.ts'
import { SettingsPage } from '../src/settings/settings-page.tsx'
import { ComposerAlone, Questions } from './composer-screens.tsx'
import { madeUpFiles } from './made-up-files.ts'
import { madeUpList } from './made-up-list.ts'
import { madeUpOffers } from './made-up-offers.ts'
import { madeUpRuns } from './made-up-runs.ts'
import { noActions } from './made-up-story.ts'
import { RunAsking, RunAtWork, RunLong } from './run-screens.tsx'

const full = madeUpList()
const nothing = madeUpList({ runs: [] })
const offline = madeUpList({ isLive: false, trouble: 'Offline', asOf: Date.now() - 26 * 60_000 })
const loading = madeUpList({ runs: [], isLoading: true, asOf: null, isLive: false })

function Beside({ list = full, page = null }: { list?: RunListSource; page?: ReactNode }) {
  useEffect(listenToKeys, [])
  useEffect(() => {
    for (const run of madeUpRuns.slice(7))
      markSeen(run.id, { event: 999, activeAt: run.now?.lastActivityAt ?? null })
  }, [])
  return <Frame list={<RunListPanel source={list} chosen={madeUpRuns[2]!.id} />} page={page} />
}

const RunFiles = () => <FilesPage source={madeUpFiles} actions={noActions} />

/** Every screen that can be shown without a hub, by name. */
export const screens: Readonly<Record<string, ComponentType>> = {
  runs: () => <Beside />,
  empty: () => <Beside list={nothing} />,
  offline: () => <Beside list={offline} />,
  loading: () => <Beside list={loading} />,
  new: () => <Beside page={<NewRunPage source={madeUpOffers} />} />,
  run: () => <Beside page={<RunAsking />} />,
  'run-at-work': () => <Beside page={<RunAtWork />} />,
  'run-long': () => <Beside page={<RunLong />} />,
  files: () => <Beside page={<RunFiles />} />,
  composer: () => <Beside page={<ComposerAlone />} />,
  questions: () => <Beside page={<Questions />} />,
  settings: () => <Beside page={<SettingsPage notifications={null} devices={null} onKeys={() => {}} />} />,
}

import { createContext, useCallback, useContext, useSyncExternalStore } from 'react'
import type { Live } from './live.ts'
import type { LiveRunState } from './live-run.ts'

/** What the signed-in user's page keeps live; there is none before somebody is signed in. */
export const LiveContext = createContext<Live | null>(null)

/** For parts of the page that are shown only to somebody who is signed in. */
export function useLive(): Live {
  const live = useContext(LiveContext)
  if (!live) throw new Error('nobody is signed in')
  return live
}

const never = () => () => {}

/** A run as it is now, for as long as the part is shown; null if that is no name of a run. */
export function useRun(name: string): LiveRunState | null {
  const run = useLive().run(name)
  const now = useCallback(() => run?.now() ?? null, [run])
  return useSyncExternalStore(run?.subscribe ?? never, now)
}

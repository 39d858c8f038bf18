import { createContext, useCallback, useContext, useSyncExternalStore } from 'react'
import type { Live } from './live.ts'
import type { LiveRunState } from './live-run.ts'

/** The live state of the signed-in user; null before sign-in. */
export const LiveContext = createContext<Live | null>(null)

/** Only for components that are shown to a signed-in user. */
export function useLive(): Live {
  const live = useContext(LiveContext)
  if (!live) throw new Error('no user is signed in')
  return live
}

const never = () => () => {}

/** The state of a run, kept live while the component is mounted; null if this is no run id. */
export function useRun(name: string): LiveRunState | null {
  const run = useLive().run(name)
  const now = useCallback(() => run?.now() ?? null, [run])
  return useSyncExternalStore(run?.subscribe ?? never, now)
}

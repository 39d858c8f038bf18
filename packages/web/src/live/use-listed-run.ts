import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { RunId } from '@farhand/protocol/wire/ids'
import { useCallback, useEffect, useSyncExternalStore } from 'react'
import { useLive } from './use-live.ts'

/** A run as the hub lists it, whether the list on the page has it or not; null until known. */
export function useListedRun(run: RunId): ListedRun | null {
  const { runs } = useLive()
  useEffect(() => runs.watch(run), [runs, run])
  const known = useCallback(() => runs.known(run), [runs, run])
  return useSyncExternalStore(runs.subscribe, known)
}

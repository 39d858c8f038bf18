import { useMemo } from 'react'
import { useLive } from '../live/use-live.ts'
import { hubNewRunSource } from './hub-new-run.ts'
import { NewRunPage } from './new-run-page.tsx'

/** The new-run page for the hub that served this app. */
export function NewRunHere() {
  const { hub } = useLive()
  const source = useMemo(() => hubNewRunSource(hub), [hub])
  return <NewRunPage source={source} />
}

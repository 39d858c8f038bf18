import { useSyncExternalStore } from 'react'
import { useLive } from '../live/use-live.ts'
import { Icon } from '../ui/icon.tsx'
import css from './offline-bar.module.css'

/** Says on every page that the hub cannot be reached. The page of a run says it in its own header. */
export function OfflineBar() {
  const { runs } = useLive()
  const { isLive, trouble } = useSyncExternalStore(runs.subscribe, runs.now)
  if (isLive || trouble === null) return null
  return (
    <p className={css.bar} role="status">
      <Icon name="warning" size={15} /> {trouble}. What you see may be out of date, and what you do is sent
      later.
    </p>
  )
}

import { type ReactNode, useContext, useSyncExternalStore } from 'react'
import { LiveContext, useLive } from '../live/use-live.ts'
import { Link } from '../navigation/link.tsx'
import { Icon } from '../ui/icon.tsx'
import css from './plain-page.module.css'

/** A simple page with a title and a link back to the list. */
export function PlainPage({ title, children }: { title: string; children: ReactNode }) {
  const live = useContext(LiveContext)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <Link to={{ is: 'runs' }} className={css.back} aria-label="Back to the runs">
          <Icon name="back" size={20} />
        </Link>
        <h1 dir="auto">{title}</h1>
      </div>
      <div className={css.body}>
        {live && <OfflineBar />}
        {children}
      </div>
    </div>
  )
}

/** Says on every page that the hub cannot be reached. The page of a run says it in its own header. */
function OfflineBar() {
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

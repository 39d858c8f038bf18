import { type ReactNode, useContext, useSyncExternalStore } from 'react'
import { LiveContext, useLive } from '../live/use-live.ts'
import { Link } from '../navigation/link.tsx'
import type { Route } from '../navigation/route.ts'
import { Icon } from '../ui/icon.tsx'
import css from './plain-page.module.css'

type Props = {
  title: string
  /** Where the link back leads; by default to the list of runs. */
  back?: { to: Route; label: string }
  children: ReactNode
}

const toRuns: NonNullable<Props['back']> = { to: { is: 'runs' }, label: 'Back to the runs' }

/** A simple page with a title and a link back to a list. */
export function PlainPage({ title, back = toRuns, children }: Props) {
  const live = useContext(LiveContext)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <Link to={back.to} className={css.back} aria-label={back.label}>
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

import { type ReactNode, useContext } from 'react'
import { LiveContext } from '../live/use-live.ts'
import { Link } from '../navigation/link.tsx'
import { Icon } from '../ui/icon.tsx'
import { OfflineBar } from './offline-bar.tsx'
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

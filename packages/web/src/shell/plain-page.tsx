import type { ReactNode } from 'react'
import { Icon } from '../look/icon.tsx'
import { Link } from './link.tsx'
import css from './plain-page.module.css'

/** A page that is read from top to bottom: a title, the way back where the list is not in sight, and what is on it. */
export function PlainPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={css.page}>
      <div className={css.head}>
        <Link to={{ is: 'runs' }} className={css.back} aria-label="Back to the runs">
          <Icon name="back" size={20} />
        </Link>
        <h1>{title}</h1>
      </div>
      <div className={css.body}>{children}</div>
    </div>
  )
}

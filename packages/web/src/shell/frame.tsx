import type { ReactNode } from 'react'
import css from './frame.module.css'

type Props = {
  /** The list of runs: beside the page where there is room, alone on a phone. */
  list: ReactNode
  /** What is shown beside the list; null: nothing is chosen. */
  page: ReactNode | null
}

/** Puts list and page beside each other, or shows one at a time where there is no room for two. */
export function Frame({ list, page }: Props) {
  return (
    <div className={css.frame} data-shows={page === null ? 'list' : 'page'}>
      <a className={css.skip} href="#page">
        Go to the page
      </a>
      <nav className={css.list} aria-label="Runs">
        {list}
      </nav>
      <main className={css.page} id="page" tabIndex={-1}>
        {page ?? <p className={css.nothing}>Choose a run, or start one.</p>}
      </main>
    </div>
  )
}

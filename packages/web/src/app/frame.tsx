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
  // A phone shows only one of them, and there is always one that is the main thing.
  const [ofList, ofPage] = page === null ? ['main', undefined] : [undefined, 'main']
  return (
    <div className={css.frame} data-shows={page === null ? 'list' : 'page'}>
      <a className={css.skip} href="#page">
        Go to the page
      </a>
      <div className={css.list} role={ofList}>
        <nav className={css.runs} aria-label="Runs">
          {list}
        </nav>
      </div>
      <div className={css.page} id="page" tabIndex={-1} role={ofPage}>
        {page ?? <aside className={css.nothing}>Choose a run, or start one.</aside>}
      </div>
    </div>
  )
}

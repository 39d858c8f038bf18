import type { ReactNode } from 'react'
import css from './frame.module.css'

type Props = {
  /** The list of runs: beside the page on wide screens, alone on a phone. */
  list: ReactNode
  /** The page beside the list; null: no page is chosen. */
  page: ReactNode | null
}

/** Shows list and page side by side, or only one of them on narrow screens. */
export function Frame({ list, page }: Props) {
  // A phone shows only one of the two, and exactly one must have the role `main`.
  const [ofList, ofPage] = page === null ? ['main', undefined] : [undefined, 'main']
  return (
    <div className={css.frame} data-shows={page === null ? 'list' : 'page'}>
      <a className={css.skip} href="#page">
        Skip to the page
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

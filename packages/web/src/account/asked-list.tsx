import type { ReactNode } from 'react'
import css from './account.module.css'
import type { Asked } from './use-list.ts'

type Props<Item> = {
  list: Asked<Item>
  /** What to show when there is nothing in it. */
  none: ReactNode
  onRetry: () => void
  children: (item: Item) => ReactNode
}

/** The rows of a list from the hub, or why there is none. */
export function AskedList<Item>({ list, none, onRetry, children }: Props<Item>) {
  if (list === 'asking') return <p className={css.soft}>Asking the hub…</p>
  if (list === 'silence')
    return (
      <p className={css.soft}>
        The hub does not answer.{' '}
        <button type="button" className={css.link} onClick={onRetry}>
          Try again
        </button>
      </p>
    )
  if (list.length === 0) return <p className={css.soft}>{none}</p>
  return <ul className={css.list}>{list.map((item) => children(item))}</ul>
}

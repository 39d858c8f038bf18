import type { HTMLAttributes } from 'react'
import css from './card.module.css'

/** A box around related content. */
export function Card({ className, ...rest }: HTMLAttributes<HTMLElement>) {
  return <section {...rest} className={`${css.card} ${className ?? ''}`} />
}

import type { HTMLAttributes } from 'react'
import css from './card.module.css'

/** A box around things that belong together. */
export function Card({ className, ...rest }: HTMLAttributes<HTMLElement>) {
  return <section {...rest} className={`${css.card} ${className ?? ''}`} />
}

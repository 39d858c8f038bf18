import type { ReactNode } from 'react'
import { Icon } from '../ui/icon.tsx'
import css from './sharing.module.css'

/** Stands where the composer is for users who may write. */
export function ViewOnly({ children }: { children: ReactNode }) {
  return (
    <p className={css.only}>
      <Icon name="eye" size={16} /> <span>{children}</span>
    </p>
  )
}

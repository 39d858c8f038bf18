import type { ReactNode } from 'react'
import css from './badge.module.css'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'plain' | 'accent' | 'good' | 'warn' | 'bad'

/** A word or two on a coloured background. The colour only repeats the words. */
export function Badge({
  tone = 'plain',
  icon,
  children,
}: {
  tone?: Tone
  icon?: IconName
  children: ReactNode
}) {
  return (
    <span className={`${css.badge} ${css[tone]}`}>
      {icon && <Icon name={icon} size={13} />}
      {children}
    </span>
  )
}

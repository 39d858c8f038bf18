import type { ButtonHTMLAttributes } from 'react'
import css from './button.module.css'
import { Icon, type IconName } from './icon.tsx'

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  /** `main`: what most people want here; at most one of them in sight. */
  as?: 'main' | 'plain' | 'quiet' | 'danger'
  icon?: IconName
  isSmall?: boolean
}

/** Something to press, with words on it. It never sends a form unless it says `type="submit"`. */
export function Button({ as = 'plain', icon, isSmall = false, className, children, ...rest }: Props) {
  const names = [css.button, css[as], isSmall && css.small, className].filter(Boolean).join(' ')
  return (
    <button type="button" {...rest} className={names}>
      {icon && <Icon name={icon} size={isSmall ? 15 : 17} />}
      {children}
    </button>
  )
}

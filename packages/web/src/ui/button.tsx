import type { ButtonHTMLAttributes } from 'react'
import css from './button.module.css'
import { Icon, type IconName } from './icon.tsx'
import { useGuardedClick } from './use-guarded-click.ts'

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  /** `main`: what most people want here; at most one of them in sight. */
  as?: 'main' | 'plain' | 'quiet' | 'danger'
  icon?: IconName
  isSmall?: boolean
  /** For what may appear under a pointer and is hard to take back: a click meant for what was there before does nothing. */
  isGuarded?: boolean
}

/** Something to press, with words on it. It never sends a form unless it says `type="submit"`. */
export function Button(props: Props) {
  const { as = 'plain', icon, isSmall = false, isGuarded = false, className, children, ...rest } = props
  const click = useGuardedClick(isGuarded, rest.onClick)
  const names = [css.button, css[as], isSmall && css.small, className].filter(Boolean).join(' ')
  return (
    <button type="button" {...rest} {...click} className={names}>
      {icon && <Icon name={icon} size={isSmall ? 15 : 17} />}
      {children}
    </button>
  )
}

import type { ButtonHTMLAttributes } from 'react'
import css from './button.module.css'
import { Icon, type IconName } from './icon.tsx'
import { useGuardedClick } from './use-guarded-click.ts'

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  /** `main`: the main action of a screen; at most one is visible. */
  as?: 'main' | 'plain' | 'quiet' | 'danger'
  icon?: IconName
  isSmall?: boolean
  /**
   * For buttons that may appear under the pointer and are hard to undo: a click that was meant for something else
   * does nothing.
   */
  isGuarded?: boolean
}

/** A button with text. It never submits a form unless it has `type="submit"`. */
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

import type { ButtonHTMLAttributes, Ref } from 'react'
import { Icon, type IconName } from './icon.tsx'
import css from './icon-button.module.css'
import { useGuardedClick } from './use-guarded-click.ts'

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> & {
  icon: IconName
  /** The name of the button, for screen readers and as a tooltip. */
  label: string
  isSmall?: boolean
  /** As for `Button`. */
  isGuarded?: boolean
  ref?: Ref<HTMLButtonElement>
}

/** A button that shows only an icon. */
export function IconButton({ icon, label, isSmall = false, isGuarded = false, className, ...rest }: Props) {
  const click = useGuardedClick(isGuarded, rest.onClick)
  const names = [css.button, isSmall && css.small, className].filter(Boolean).join(' ')
  return (
    <button type="button" title={label} aria-label={label} {...rest} {...click} className={names}>
      <Icon name={icon} size={isSmall ? 16 : 19} />
    </button>
  )
}

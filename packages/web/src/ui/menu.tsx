import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { IconButton } from './icon-button.tsx'
import css from './menu.module.css'

export type MenuEntry = {
  label: string
  icon?: IconName
  note?: string
  isChosen?: boolean
  isDanger?: boolean
  isDisabled?: boolean
  onChoose: () => void
}
type Props = {
  /** The name of the menu. */
  label: string
  entries: readonly MenuEntry[]
  icon?: IconName
  /** The content of the button instead of an icon. */
  face?: ReactNode
  opens?: 'down-left' | 'down-right' | 'up-left' | 'up-right'
}

/** A button that opens a menu: arrow keys, Home, End and first letters move, Enter chooses, Escape closes. */
export function Menu({ label, entries, icon = 'more', face, opens = 'down-left' }: Props) {
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  const items = () => [...(box.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
  const shut = () => {
    setOpen(false)
    box.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus()
  }

  useEffect(() => {
    if (!isOpen) return
    box.current?.querySelector<HTMLElement>('[aria-checked="true"], [role^="menuitem"]')?.focus()
    const leave = (event: Event) => box.current?.contains(event.target as Node) || setOpen(false)
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusin', leave)
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusin', leave)
    }
  }, [isOpen])

  const onKeyDown = (event: KeyboardEvent) => {
    const all = items()
    const here = all.indexOf(document.activeElement as HTMLElement)
    const to = wanted(event.key, here, all)
    if (event.key === 'Escape') shut()
    else if (to === null) return
    else all[to]?.focus()
    event.preventDefault()
    event.stopPropagation()
  }
  const button = { 'aria-haspopup': 'menu', 'aria-expanded': isOpen, 'aria-controls': id } as const
  return (
    <div className={css.box} ref={box}>
      {face === undefined ? (
        <IconButton {...button} icon={icon} label={label} onClick={() => setOpen(!isOpen)} />
      ) : (
        <button
          {...button}
          type="button"
          className={css.face}
          // The accessible name has to contain the visible text, for voice control.
          aria-label={typeof face === 'string' ? `${label}: ${face}` : label}
          onClick={() => setOpen(!isOpen)}
        >
          <span dir="auto">{face}</span>
          <Icon name="chevron-down" size={14} />
        </button>
      )}
      {isOpen && (
        <div
          id={id}
          role="menu"
          tabIndex={-1}
          aria-label={label}
          className={`${css.list} ${css[opens]}`}
          onKeyDown={onKeyDown}
        >
          {entries.map((entry) => (
            <button
              key={entry.label}
              type="button"
              {...roleOf(entry)}
              tabIndex={-1}
              disabled={entry.isDisabled}
              className={`${css.entry} ${entry.isDanger ? css.danger : ''}`}
              onClick={() => {
                shut()
                entry.onChoose()
              }}
            >
              {entry.isChosen !== undefined && (
                <span className={css.mark}>{entry.isChosen && <Icon name="check" size={16} />}</span>
              )}
              {entry.icon && <Icon name={entry.icon} size={16} />}
              <span dir="auto">
                {entry.label}
                {entry.note && (
                  <span className={css.note} dir="auto">
                    {entry.note}
                  </span>
                )}
              </span>
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

const roleOf = ({ isChosen }: MenuEntry) =>
  isChosen === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': isChosen }

/** The index of the entry that a key moves to; null for other keys. */
function wanted(key: string, here: number, all: readonly HTMLElement[]): number | null {
  if (key === 'ArrowDown') return (here + 1) % all.length
  if (key === 'ArrowUp') return (here - 1 + all.length) % all.length
  if (key === 'Home') return 0
  if (key === 'End') return all.length - 1
  if (key.length !== 1 || key === ' ') return null
  const begins = (one: HTMLElement) => one.textContent?.trim().toLowerCase().startsWith(key.toLowerCase())
  const after = all.findIndex((one, at) => at > here && begins(one))
  const found = after >= 0 ? after : all.findIndex(begins)
  return found >= 0 ? found : null
}

import type { Usage } from '@farhand/story/items/story'
import { contextInWords, costInWords } from '@farhand/story/wording/usage-in-words'
import { createContext, memo, type ReactNode, useContext, useRef } from 'react'
import { Link } from '../navigation/link.tsx'
import { go } from '../navigation/location.ts'
import { useShortcut } from '../navigation/shortcuts.ts'
import { MayActContext } from '../outbox/may-act.ts'
import { TimeSince } from '../time/time-since.tsx'
import { Badge } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu, type MenuEntry } from '../ui/menu.tsx'
import { RenameField } from '../ui/rename-field.tsx'
import { useRenaming } from '../ui/use-renaming.ts'
import css from './run-header.module.css'
import type { RunStanding } from './view-model/run-standing.ts'

/** The connection in words; `good` needs no words on a narrow screen. */
export type ConnectionWords = { words: string; tone: 'good' | 'plain' | 'warn' }

type Props = {
  run: string
  part: 'talk' | 'files'
  title: string
  standing: RunStanding
  agent: string | null
  /** Where the agent works, for the user. */
  where: string | null
  /** The name of the schedule that started it. */
  schedule: string | null
  usage: Usage
  connection: ConnectionWords
  entries: readonly MenuEntry[]
  /** More buttons, before the menu. */
  children?: ReactNode
}

/** The header of the run page: title, state, connection, and menu. */
export const RunHeader = memo(function RunHeader(props: Props) {
  const { run, part, title, standing, agent, where, schedule, usage, connection, entries, children } = props
  const onRename = useContext(RenameContext)
  const isGuest = useContext(MayActContext) === 'guest'
  const header = useRef<HTMLElement>(null)
  const [isRenaming, setRenaming] = useRenaming(header)
  useShortcut('e', 'Rename it', 'This run', () => onRename && setRenaming(true))
  const cost = usage.costUsd ? costInWords(usage.costUsd) : null
  const from = schedule === null ? null : `from schedule ${schedule}`
  const facts = [agent, where, from, cost, contextInWords(usage)].filter((fact) => fact !== null)
  const rename: MenuEntry = { label: 'Rename', icon: 'edit', onChoose: () => setRenaming(true) }
  const to = (part: 'talk' | 'files') => ({ is: 'run', run, part, event: null }) as const
  return (
    <section className={css.header} ref={header} data-renaming={isRenaming || undefined}>
      {!isGuest && (
        <IconButton
          className={css.back}
          icon="back"
          label="Back to the list"
          onClick={() => go({ is: 'runs' })}
        />
      )}
      <div className={css.about}>
        <h1 className={isRenaming ? 'visually-hidden' : css.title} title={title} dir="auto">
          {title}
        </h1>
        {isRenaming && (
          <RenameField
            title={title}
            onDone={(typed) => {
              setRenaming(false)
              if (typed !== null) onRename?.(typed)
            }}
          />
        )}
        <div className={css.facts}>
          <span role="status">
            <Badge tone={standing.tone}>
              {standing.words}
              {standing.since && (
                <>
                  {' for '}
                  <TimeSince at={standing.since} isElapsed />
                </>
              )}
            </Badge>
          </span>
          <span className={`${css.connection} ${css[connection.tone]}`} role="status">
            <span className={css.dot} aria-hidden="true" />
            <span className={css.words}>{connection.words}</span>
          </span>
          {facts.length > 0 && (
            <span className={css.more} dir="auto">
              {facts.join(' · ')}
            </span>
          )}
        </div>
      </div>
      {!isGuest && (
        <nav className={css.parts} aria-label="Parts of the run">
          <Link to={to('talk')} aria-current={part === 'talk' ? 'page' : undefined} aria-label="Conversation">
            <Icon name="chat" size={17} />
            <span>Conversation</span>
          </Link>
          <Link to={to('files')} aria-current={part === 'files' ? 'page' : undefined} aria-label="Files">
            <Icon name="file" size={17} />
            <span>Files</span>
          </Link>
        </nav>
      )}
      {children}
      <Menu label="Actions for this run" entries={onRename ? [rename, ...entries] : entries} />
      {/* The items below start with h3. */}
      {part === 'talk' && <h2 className="visually-hidden">Conversation</h2>}
    </section>
  )
})

/** Renames the run on the page; null where it cannot be renamed. */
export const RenameContext = createContext<((title: string) => void) | null>(null)

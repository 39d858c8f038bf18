import { memo, type ReactNode } from 'react'
import { Badge } from '../look/badge.tsx'
import { Icon } from '../look/icon.tsx'
import { IconButton } from '../look/icon-button.tsx'
import { Menu, type MenuEntry } from '../look/menu.tsx'
import { TimeSince } from '../runs/time-since.tsx'
import { Link } from '../shell/link.tsx'
import { go } from '../shell/location.ts'
import type { Usage } from '../story/story.ts'
import css from './run-header.module.css'
import type { RunStanding } from './run-standing.ts'
import { contextInWords, costInWords } from './usage-in-words.ts'

/** How well the page hears of the run; `good`: nothing that needs words where there is little room. */
export type ConnectionWords = { words: string; tone: 'good' | 'plain' | 'warn' }

type Props = {
  run: string
  part: 'talk' | 'files'
  title: string
  standing: RunStanding
  agent: string | null
  /** Where the agent works, in words. */
  where: string | null
  usage: Usage
  connection: ConnectionWords
  entries: readonly MenuEntry[]
  /** More buttons, before the menu. */
  children?: ReactNode
}

/** The top of the page of a run: what it is, how it stands, and whether all of this is true now. */
export const RunHeader = memo(function RunHeader(props: Props) {
  const { run, part, title, standing, agent, where, usage, connection, entries, children } = props
  const cost = usage.costUsd ? costInWords(usage.costUsd) : null
  const facts = [agent, where, cost, contextInWords(usage)].filter((fact) => fact !== null)
  const to = (part: 'talk' | 'files') => ({ is: 'run', run, part, event: null }) as const
  return (
    <header className={css.header}>
      <IconButton
        className={css.back}
        icon="back"
        label="Back to the list"
        onClick={() => go({ is: 'runs' })}
      />
      <div className={css.about}>
        <h1 className={css.title} title={title}>
          {title}
        </h1>
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
          {facts.length > 0 && <span className={css.more}>{facts.join(' · ')}</span>}
        </div>
      </div>
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
      {children}
      <Menu label="More about this run" entries={entries} />
    </header>
  )
})

import { useEffect, useRef, useState } from 'react'
import { go } from '../navigation/location.ts'
import { useShortcut } from '../navigation/shortcuts.ts'
import { Icon } from '../ui/icon.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import css from './list-head.module.css'
import type { RunListQuery } from './run-list-source.ts'

/** The pause in typing after which the hub is asked. */
const pauseMs = 200

type Props = { asked: RunListQuery; onAsk: (query: RunListQuery) => void }

/** The head of the list: which runs to show, a search field, and a button for a new run. */
export function ListHead({ asked, onAsk }: Props) {
  const [find, setFind] = useState(asked.find)
  const field = useRef<HTMLInputElement>(null)
  const said = useRef(asked.find)
  // Another component cleared the search: clear the field, too.
  useEffect(() => {
    if (said.current === asked.find) return
    said.current = asked.find
    setFind(asked.find)
  }, [asked.find])
  useEffect(() => {
    if (find.trim() === said.current) return
    const timer = setTimeout(() => {
      said.current = find.trim()
      onAsk({ archived: asked.archived, find: said.current })
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [find, asked.archived, onAsk])
  useShortcut('/', 'Look for a run', 'Runs', () => field.current?.focus())

  const show = (archived: boolean) => onAsk({ ...asked, archived })
  return (
    <header className={css.head}>
      <div className={css.top}>
        <h1 className={css.title}>
          <Menu
            label="Which runs are shown"
            face={asked.archived ? 'Archived' : 'Runs'}
            opens="down-right"
            entries={[
              { label: 'Runs', isChosen: !asked.archived, onChoose: () => show(false) },
              { label: 'Archived', isChosen: asked.archived, onChoose: () => show(true) },
            ]}
          />
        </h1>
        <IconButton icon="plus" label="Start a run" onClick={() => go({ is: 'new' })} />
      </div>
      <search className={css.search}>
        <Icon name="search" size={16} />
        <input
          ref={field}
          type="search"
          dir="auto"
          className={css.field}
          aria-label="Look for a run"
          placeholder="Look for a run"
          autoComplete="off"
          spellCheck={false}
          value={find}
          onChange={(event) => setFind(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            if (find === '') field.current?.blur()
            setFind('')
          }}
        />
      </search>
    </header>
  )
}

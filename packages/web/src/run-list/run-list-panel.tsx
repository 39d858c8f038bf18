import type { ListedRun } from '@farhand/protocol/schemas/api'
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { go } from '../navigation/location.ts'
import { useShortcut } from '../navigation/shortcuts.ts'
import { Icon } from '../ui/icon.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { toast } from '../ui/toasts.ts'
import { EmptyList } from './empty-list.tsx'
import { ListAgeLine } from './list-age-line.tsx'
import { ListHead } from './list-head.tsx'
import css from './run-list-panel.module.css'
import type { RunList, RunListQuery, RunListSource } from './run-list-source.ts'
import { RunRow } from './run-row.tsx'
import { runSections } from './run-sections.ts'
import { useSeenRuns } from './seen-in-browser.ts'
import { isUnread } from './seen-runs.ts'

type Props = { source: RunListSource; chosen: string | null }

/** All runs: those that need the user first, then running ones, then the others. */
export function RunListPanel({ source, chosen }: Props) {
  const list = useRunList(source)
  const seen = useSeenRuns()
  const sections = useMemo(() => runSections(list.runs), [list.runs])
  const rows = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)

  // Load the next page before the end of this one is visible.
  useEffect(() => {
    const shown = end.current
    if (!shown || !list.hasMore || list.isLoading) return
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && source.more(), {
      root: rows.current,
      rootMargin: '400px',
    })
    watch.observe(shown)
    return () => watch.disconnect()
  }, [list.hasMore, list.isLoading, source])

  const ask = useCallback((query: RunListQuery) => source.ask(query), [source])
  const onRename = useCallback(
    (run: ListedRun, title: string) => {
      source
        .rename(addressOf(run), title)
        .catch((error: Error) => toast(`It could not be renamed: ${error.message}`, { tone: 'bad' }))
    },
    [source],
  )
  const onArchive = useCallback(
    (run: ListedRun, isArchived: boolean) => {
      const put = (to: boolean) =>
        source
          .archive(addressOf(run), to)
          .catch((error: Error) => toast(`It could not be moved: ${error.message}`, { tone: 'bad' }))
      put(isArchived)
      const words = isArchived ? 'is archived' : 'is no longer archived'
      toast(`“${shortened(run.title)}” ${words}.`, { undo: () => put(!isArchived) })
    },
    [source],
  )

  const step = (by: 1 | -1) => {
    const links = [...(rows.current?.querySelectorAll<HTMLElement>('[data-run]') ?? [])]
    const focused = links.indexOf(document.activeElement as HTMLElement)
    const from = focused >= 0 ? focused : links.findIndex((link) => link.dataset.run === chosen)
    const first = by > 0 ? 0 : links.length - 1
    const to = from < 0 ? first : Math.min(links.length - 1, Math.max(0, from + by))
    links[to]?.focus()
  }
  useShortcut('j', 'The next run', 'Runs', () => step(1))
  useShortcut('k', 'The run before', 'Runs', () => step(-1))

  const open = list.runs.length > 0
  return (
    <div className={css.panel}>
      <ListHead asked={list.asked} onAsk={ask} />
      <ListAgeLine list={list} onRefresh={() => source.refresh()} />
      <div className={css.rows} ref={rows} aria-busy={list.isLoading}>
        {sections.map(({ name, runs }) => (
          <section key={name} className={css.section} aria-label={name}>
            <h2 className={sections.length === 1 && name === 'Earlier' ? 'visually-hidden' : css.name}>
              {name} {name !== 'Earlier' && <span className={css.count}>{runs.length}</span>}
            </h2>
            <ul className={css.list}>
              {runs.map((run) => (
                <RunRow
                  key={run.id}
                  run={run}
                  isChosen={run.id === chosen}
                  isUnread={run.id !== chosen && isUnread(seen, run.id, markOf(run), run.seen)}
                  onRename={onRename}
                  onArchive={onArchive}
                />
              ))}
            </ul>
          </section>
        ))}
        {!open && !list.isLoading && list.asOf !== null && (
          <EmptyList asked={list.asked} onForget={() => source.ask({ find: '', archived: false })} />
        )}
        <div ref={end} className={css.end}>
          {list.isLoading && (list.hasMore || !open) && (
            <>
              <Spinner /> {open ? 'Loading older runs' : 'Loading your runs'}
            </>
          )}
        </div>
      </div>
      <div className={css.foot}>
        <button type="button" className={css.settings} onClick={() => go({ is: 'schedules' })}>
          <Icon name="clock" /> Schedules
        </button>
        <button type="button" className={css.settings} onClick={() => go({ is: 'settings' })}>
          <Icon name="settings" /> Settings
        </button>
      </div>
    </div>
  )
}

function useRunList(source: RunListSource): RunList {
  const subscribe = useCallback((changed: () => void) => source.subscribe(changed), [source])
  return useSyncExternalStore(subscribe, () => source.now())
}

const addressOf = ({ project, task, id }: ListedRun) => ({ project, task, run: id })
const markOf = ({ now }: ListedRun) => ({
  event: now?.lastEventId ?? 0,
  activeAt: now?.lastActivityAt ?? null,
})
const shortened = (title: string) => (title.length > 40 ? `${title.slice(0, 39)}…` : title)

import type { ListedRun } from '@farhand/protocol/schemas/api'
import { standing } from '@farhand/story/wording/standing'
import { memo, useRef } from 'react'
import { Link } from '../navigation/link.tsx'
import { TimeSince } from '../time/time-since.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu } from '../ui/menu.tsx'
import { RenameField } from '../ui/rename-field.tsx'
import { useRenaming } from '../ui/use-renaming.ts'
import css from './run-row.module.css'
import { activeAt } from './run-sections.ts'
import { StandingMark } from './standing-mark.tsx'

type Props = {
  run: ListedRun
  isChosen: boolean
  isUnread: boolean
  onRename: (run: ListedRun, title: string) => void
  onArchive: (run: ListedRun, isArchived: boolean) => void
}

/** A run in the list: its title, state and project, and a menu. */
export const RunRow = memo(function RunRow({ run, isChosen, isUnread, onRename, onArchive }: Props) {
  const row = useRef<HTMLLIElement>(null)
  const [isRenaming, setRenaming] = useRenaming(row)
  const { kind, words, since } = standing(run)
  const isArchived = run.isArchived === true
  const active = activeAt(run)
  if (isRenaming)
    return (
      <li className={css.row} ref={row}>
        <RenameField
          title={run.title}
          onDone={(title) => {
            setRenaming(false)
            if (title !== null) onRename(run, title)
          }}
        />
      </li>
    )
  return (
    <li className={css.row} ref={row} data-chosen={isChosen || undefined}>
      <Link
        to={{ is: 'run', run: run.id, part: 'talk', event: null }}
        className={css.link}
        data-run={run.id}
        aria-current={isChosen ? 'page' : undefined}
      >
        <StandingMark kind={kind} />
        <span className={css.text}>
          <span className={css.top}>
            <span className={css.title} data-unread={isUnread || undefined} dir="auto">
              {run.title}
            </span>
            {isUnread && <span className="visually-hidden">unread</span>}
          </span>
          <span className={css.about}>
            <span className={`${css.standing} ${css[kind] ?? ''}`}>
              {words}
              {since && kind === 'working' && (
                <>
                  {' for '}
                  <TimeSince at={since} isElapsed />
                </>
              )}
            </span>
            {!(since && kind === 'working') && <TimeSince at={active} />}
            <span className={css.whose} dir="auto">
              {run.projectName}
              {run.agent && ` · ${run.agent}`}
            </span>
            {run.delegated && <DelegatedMark plan={run.now?.plan ?? null} />}
            {run.schedule && (
              <span title={`From the schedule ${run.schedule.name}`}>
                <Icon name="clock" size={14} />
                <span className="visually-hidden">from the schedule {run.schedule.name}</span>
              </span>
            )}
            {run.sandbox === 'none' && <Icon name="laptop" size={14} />}
            {run.isMuted && <Icon name="bell-off" size={14} />}
          </span>
        </span>
        {isUnread && <span className={css.dot} aria-hidden="true" />}
      </Link>
      <span className={css.menu}>
        <Menu
          label={`Actions for ${run.title}`}
          entries={[
            { label: 'Rename', icon: 'edit', onChoose: () => setRenaming(true) },
            {
              label: isArchived ? 'Unarchive' : 'Archive',
              icon: isArchived ? 'undo' : 'archive',
              onChoose: () => onArchive(run, !isArchived),
            },
          ]}
        />
      </span>
    </li>
  )
})

/** That a program delegated the run, and how much of its plan is done. */
function DelegatedMark({ plan }: { plan: { completed: number; total: number } | null }) {
  return (
    <span className={css.delegated}>
      <Icon name="cloud" size={14} />
      <span className="visually-hidden">delegated</span>
      {plan && `${Math.floor((100 * plan.completed) / plan.total)} %`}
    </span>
  )
}

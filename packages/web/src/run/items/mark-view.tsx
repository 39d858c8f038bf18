import { plainLine } from '@farhand/protocol/text/plain-text'
import { RunId } from '@farhand/protocol/wire/ids'
import type { MarkItem } from '@farhand/story/items/story'
import { markInWords } from '@farhand/story/wording/mark-in-words'
import { memo, useContext } from 'react'
import { useListedRun } from '../../live/use-listed-run.ts'
import { LiveContext } from '../../live/use-live.ts'
import { safeLink } from '../../markdown/safe-link.ts'
import { Link } from '../../navigation/link.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { timeTitle } from '../../ui/time-title.ts'
import { RewindContext } from '../rewind/rewind-context.ts'
import row from './row.module.css'

const icons: Readonly<Record<MarkItem['mark']['is'], IconName>> = {
  checkpoint: 'flag',
  restored: 'refresh',
  commit: 'commit',
  'pull-request': 'branch',
  status: 'info',
  agent: 'play',
  phase: 'cloud',
  rewind: 'undo',
  forked: 'branch',
  moved: 'move',
  mode: 'settings',
  cancelled: 'stop',
  closed: 'archive',
  device: 'laptop',
}

const iconOf = (mark: MarkItem['mark']) =>
  mark.is === 'status' && mark.status === 'asleep' ? 'sleep' : icons[mark.is]

/** One line about the run as a whole. */
export const MarkView = memo(function MarkView({ item }: { item: MarkItem }) {
  const { words, more, tone, isUnderWay } = markInWords(item.mark)
  const link = item.mark.is === 'pull-request' ? safeLink(item.mark.url) : null
  return (
    <div className={`${row.quiet} ${tone ? row[tone] : ''}`} {...timeTitle(item.at)}>
      {isUnderWay ? <Spinner size={14} /> : <Icon name={iconOf(item.mark)} size={15} />}
      <span dir="auto">{plainLine(words)}</span>
      {link ? (
        <a className={row.more} href={link} target="_blank" rel="noopener noreferrer">
          {link}
        </a>
      ) : (
        more && (
          <span className={row.more} dir="auto">
            {plainLine(more)}
          </span>
        )
      )}
      {item.mark.is === 'forked' && <OtherRun run={item.mark.run} event={item.mark.event} />}
      {item.mark.is === 'checkpoint' && <BackFromHere event={item.id} />}
    </div>
  )
})

/** Buttons to fork or rewind from a checkpoint. */
function BackFromHere({ event }: { event: number }) {
  const back = useContext(RewindContext)
  if (!back) return null
  return (
    <span className={row.actions}>
      <Button
        as="quiet"
        isSmall
        icon="branch"
        aria-label="Fork from here"
        onClick={() => back.ask({ do: 'fork', event })}
      >
        Fork
      </Button>
      {!back.isOver && (
        <Button
          as="quiet"
          isSmall
          icon="undo"
          aria-label="Rewind to here"
          onClick={() => back.ask({ do: 'rewind', event })}
        >
          Rewind
        </Button>
      )}
    </span>
  )
}

type OtherRunProps = { run: string; event: number }

/** A link to an event of another run, with that run's title once it is known. */
function OtherRun({ run, event }: OtherRunProps) {
  const live = useContext(LiveContext)
  const id = RunId.safeParse(run).data
  return (
    <Link className={row.more} to={{ is: 'run', run, part: 'talk', event }}>
      {live && id ? <Name run={id} /> : 'another run'}
    </Link>
  )
}

function Name({ run }: { run: RunId }) {
  const title = useListedRun(run)?.title
  return title ? `“${plainLine(title)}”` : 'another run'
}

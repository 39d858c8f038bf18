import { plainLine } from '@farhand/protocol/text/plain-text'
import { RunId } from '@farhand/protocol/wire/ids'
import { useContext } from 'react'
import { useListedRun } from '../../live/use-listed-run.ts'
import { LiveContext } from '../../live/use-live.ts'
import { Link } from '../../navigation/link.tsx'
import row from './row.module.css'

type Props = { run: string; event: number }

/** A link to an event of another run, with that run's title once it is known. */
export function OtherRun({ run, event }: Props) {
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

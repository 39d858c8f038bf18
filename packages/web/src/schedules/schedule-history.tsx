import { listOccurrences } from '@farhand/client/resources/schedules'
import type { Occurrence, Schedule } from '@farhand/protocol/schemas/schedules'
import { occurrenceDetails, occurrenceStates } from '@farhand/story/wording/schedule-in-words'
import { useCallback, useEffect, useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { Link } from '../navigation/link.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { dueHere, stateTones } from './schedule-words.ts'
import css from './schedules.module.css'

type Props = { schedule: Schedule; onRefresh: () => void }

/** The ledger of a schedule, newest first, with links to the runs. */
export function ScheduleHistory({ schedule, onRefresh }: Props) {
  const { hub } = useLive()
  const [items, setItems] = useState<Occurrence[] | null>(null)
  const [next, setNext] = useState<string | null>(null)
  const [isLost, setLost] = useState(false)
  const { id } = schedule
  const load = useCallback(
    (cursor?: string) => {
      setLost(false)
      listOccurrences(hub, id, { patienceMs: 3000, ...(cursor !== undefined && { cursor }) }).then(
        (page) => {
          setItems((before) => (cursor === undefined ? page.items : [...(before ?? []), ...page.items]))
          setNext(page.next)
        },
        () => setLost(true),
      )
    },
    [hub, id],
  )
  useEffect(() => load(), [load])
  return (
    <section aria-labelledby="schedule-history">
      <div className={css.top}>
        <h2 id="schedule-history">History</h2>
        <Button isSmall icon="refresh" onClick={onRefresh}>
          Refresh
        </Button>
      </div>
      {isLost && <p role="alert">The history could not be loaded.</p>}
      {items?.length === 0 && <p className={css.soft}>It was not due yet.</p>}
      <ul className={css.list}>
        {items?.map((of) => (
          <li key={of.id}>
            <OccurrenceRow schedule={schedule} of={of} />
          </li>
        ))}
      </ul>
      {next !== null && <Button onClick={() => load(next)}>Show older ones</Button>}
    </section>
  )
}

function OccurrenceRow({ schedule, of }: { schedule: Schedule; of: Occurrence }) {
  const details = occurrenceDetails(of)
  return (
    <div className={css.row}>
      <span className={css.top}>
        <time dateTime={of.dueAt}>{dueHere(schedule, of.dueAt)}</time>
        <Badge tone={stateTones[of.state]}>{occurrenceStates[of.state]}</Badge>
        {of.run !== null && (
          <Link to={{ is: 'run', run: of.run, part: 'talk', event: null }}>Open the run</Link>
        )}
      </span>
      {details !== '' && (
        <span className={css.soft} dir="auto">
          {details}
        </span>
      )}
    </div>
  )
}

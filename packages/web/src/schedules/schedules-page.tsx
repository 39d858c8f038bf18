import { listSchedules } from '@farhand/client/resources/schedules'
import type { Schedule } from '@farhand/protocol/schemas/schedules'
import { timingInWords } from '@farhand/story/wording/schedule-in-words'
import { useCallback, useEffect, useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { Link } from '../navigation/link.tsx'
import { go } from '../navigation/location.ts'
import { PlainPage } from '../page/plain-page.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { dueHere, statusTones } from './schedule-words.ts'
import css from './schedules.module.css'

/** All schedules of the user, and when each is due next. */
export function SchedulesPage() {
  const { hub } = useLive()
  const [items, setItems] = useState<Schedule[]>([])
  const [next, setNext] = useState<string | null>(null)
  const [state, setState] = useState<'loading' | 'there' | 'silence'>('loading')
  const load = useCallback(
    (cursor?: string) => {
      setState('loading')
      listSchedules(hub, { patienceMs: 3000, ...(cursor !== undefined && { cursor }) }).then(
        (page) => {
          setItems((before) => (cursor === undefined ? page.items : [...before, ...page.items]))
          setNext(page.next)
          setState('there')
        },
        () => setState('silence'),
      )
    },
    [hub],
  )
  useEffect(() => load(), [load])
  return (
    <PlainPage title="Schedules">
      <div className={css.parts}>
        <p className={css.soft}>The hub starts these runs by itself, also while your computer is off.</p>
        <div className={css.buttons}>
          <Button as="main" icon="plus" onClick={() => go({ is: 'new-schedule' })}>
            New schedule
          </Button>
        </div>
        {state === 'silence' && (
          <p role="alert">
            The schedules could not be loaded.{' '}
            <Button isSmall onClick={() => load()}>
              Try again
            </Button>
          </p>
        )}
        {state === 'there' && items.length === 0 && <p className={css.soft}>There are none yet.</p>}
        <ul className={css.list}>
          {items.map((schedule) => (
            <li key={schedule.id}>
              <ScheduleRow schedule={schedule} />
            </li>
          ))}
        </ul>
        {state === 'loading' && (
          <p role="status" className={css.soft}>
            <Spinner /> Loading the schedules
          </p>
        )}
        {state === 'there' && next !== null && <Button onClick={() => load(next)}>Show older ones</Button>}
      </div>
    </PlainPage>
  )
}

function ScheduleRow({ schedule }: { schedule: Schedule }) {
  const { id, name, timing, status, reason, next, projectName } = schedule
  return (
    <Link to={{ is: 'schedule', schedule: id }} className={css.row}>
      <span className={css.top}>
        <span className={css.name} dir="auto">
          {name}
        </span>
        {status !== 'active' && <Badge tone={statusTones[status]}>{status}</Badge>}
      </span>
      <span className={css.soft} dir="auto">
        {timingInWords(timing)} · {projectName}
      </span>
      <span className={css.soft}>
        {next[0] === undefined ? reason : `Next: ${dueHere(schedule, next[0])}`}
      </span>
    </Link>
  )
}

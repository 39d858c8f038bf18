import {
  changeSchedule,
  deleteSchedule,
  findSchedule,
  runScheduleNow,
} from '@farhand/client/resources/schedules'
import type { Schedule } from '@farhand/protocol/schemas/schedules'
import { ScheduleId } from '@farhand/protocol/wire/ids'
import { catchUpInWords, overlapInWords, timingInWords } from '@farhand/story/wording/schedule-in-words'
import { useCallback, useEffect, useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { go } from '../navigation/location.ts'
import { PlainPage } from '../page/plain-page.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { toast } from '../ui/toasts.ts'
import { EditSchedule } from './edit-schedule.tsx'
import { ScheduleHistory } from './schedule-history.tsx'
import { dueHere, statusTones, toSchedules } from './schedule-words.ts'
import css from './schedules.module.css'

const patienceMs = 3000

/** One schedule: when it is due next, what it starts, and what became of each due time. */
export function SchedulePage({ schedule: id }: { schedule: string }) {
  const { hub } = useLive()
  const [schedule, setSchedule] = useState<Schedule | 'asking' | 'none' | 'silence'>('asking')
  const [isEditing, setEditing] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  // A new number has the history loaded again.
  const [looks, setLooks] = useState(0)
  const ask = useCallback(() => {
    const known = ScheduleId.safeParse(id)
    if (!known.success) return setSchedule('none')
    findSchedule(hub, known.data, { patienceMs }).then(setSchedule, (error: { saidCode?: string }) =>
      setSchedule(error.saidCode === 'schedule.unknown' ? 'none' : 'silence'),
    )
    setLooks((before) => before + 1)
  }, [hub, id])
  useEffect(ask, [ask])
  if (typeof schedule === 'string')
    return (
      <PlainPage title="Schedule" back={toSchedules}>
        {schedule === 'asking' && (
          <p role="status">
            <Spinner /> Loading the schedule
          </p>
        )}
        {schedule === 'none' && <p>There is no such schedule, or it was deleted.</p>}
        {schedule === 'silence' && (
          <p role="alert">
            The schedule could not be loaded.{' '}
            <Button isSmall onClick={ask}>
              Try again
            </Button>
          </p>
        )}
      </PlainPage>
    )
  if (isEditing)
    return (
      <EditSchedule
        before={schedule}
        onDone={(changed) => {
          if (changed) setSchedule(changed)
          setEditing(false)
        }}
      />
    )
  const act = async (what: string, doing: () => Promise<unknown>) => {
    try {
      await doing()
      toast(what)
      ask()
    } catch (error) {
      toast(`That could not be done: ${(error as Error).message}`, { tone: 'bad' })
    }
  }
  const { name, status } = schedule
  const isPaused = status === 'paused'
  const pause = () =>
    act(isPaused ? `${name} is active again.` : `${name} is paused.`, () =>
      changeSchedule(hub, schedule.id, { isPaused: !isPaused }, { patienceMs }),
    )
  return (
    <PlainPage title={name} back={toSchedules}>
      <div className={css.parts}>
        <About schedule={schedule} />
        <div className={css.buttons}>
          <Button
            icon="play"
            onClick={() =>
              void act(`${name} is due now.`, () => runScheduleNow(hub, schedule.id, { patienceMs }))
            }
          >
            Run now
          </Button>
          {status !== 'ended' && (
            <Button icon={isPaused ? 'play' : 'pause'} onClick={() => void pause()}>
              {isPaused ? 'Resume' : 'Pause'}
            </Button>
          )}
          <Button icon="edit" onClick={() => setEditing(true)}>
            Edit
          </Button>
          <Button as="danger" icon="trash" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        </div>
        <ScheduleHistory key={looks} schedule={schedule} onRefresh={ask} />
      </div>
      {isDeleting && (
        <Dialog
          title={`Delete ${name}?`}
          onClose={() => setDeleting(false)}
          buttons={
            <>
              <Button onClick={() => setDeleting(false)}>Keep it</Button>
              <Button
                as="danger"
                isGuarded
                onClick={() =>
                  void deleteSchedule(hub, schedule.id, { patienceMs }).then(
                    () => go({ is: 'schedules' }, { replace: true }),
                    (error: Error) => toast(`It could not be deleted: ${error.message}`, { tone: 'bad' }),
                  )
                }
              >
                Delete
              </Button>
            </>
          }
        >
          <p>It starts no more runs. The runs that it has started stay.</p>
        </Dialog>
      )}
    </PlainPage>
  )
}

function About({ schedule }: { schedule: Schedule }) {
  const { timing, status, reason, next, run, catchUp, overlap, pauseAfter, projectName, callback } = schedule
  return (
    <>
      <p className={css.top}>
        <span>{timingInWords(timing)}</span>
        <Badge tone={statusTones[status]}>{status}</Badge>
      </p>
      {reason !== null && <p className={css.soft}>{reason}</p>}
      {next.length > 0 && (
        <section aria-labelledby="schedule-next">
          <h2 id="schedule-next">Next</h2>
          <ul className={css.times}>
            {next.map((at) => (
              <li key={at}>
                <time dateTime={at}>{dueHere(schedule, at)}</time>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="schedule-run">
        <h2 id="schedule-run">What it starts</h2>
        <p className={css.prompt} dir="auto">
          {run.prompt}
        </p>
        <p className={css.soft} dir="auto">
          {[projectName, run.agent, run.terms?.clone?.url].filter(Boolean).join(' · ')}
        </p>
        <p className={css.soft}>
          Missed due times: {catchUpInWords[catchUp]}. A due time {overlapInWords[overlap]}. Paused after{' '}
          {pauseAfter} failures in a row.{callback !== null && ` Calls ${callback.url}.`}
        </p>
      </section>
    </>
  )
}

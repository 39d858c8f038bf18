import { Refusal } from '@farhand/client/requests/refusal'
import { changeSchedule, createSchedule } from '@farhand/client/resources/schedules'
import type { NewSchedule, Schedule } from '@farhand/protocol/schemas/schedules'
import { randomName } from '@farhand/protocol/wire/ids'
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { go } from '../navigation/location.ts'
import { hubNewRunSource } from '../new-run/hub-new-run.ts'
import css from '../new-run/new-run-page.module.css'
import type { Offers } from '../new-run/new-run-source.ts'
import { preselectedAgent } from '../new-run/which-agent.ts'
import { PlainPage } from '../page/plain-page.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { PolicyPart } from './policy-part.tsx'
import {
  emptyScheduleForm,
  fieldOfRefused,
  formOfSchedule,
  planSchedule,
  type ScheduleForm,
  type ScheduleTroubles,
} from './schedule-form.ts'
import { toSchedules, zoneHere } from './schedule-words.ts'
import { TimingPart } from './timing-part.tsx'
import { WorkPart } from './work-part.tsx'

type Props = {
  /** The schedule to change; null for a new one. */
  before: Schedule | null
  /** With the changed schedule, or null if the user left it as it was. */
  onDone: (changed: Schedule | null) => void
}

/** The form for a new schedule, or for one that is changed. */
export function EditSchedule({ before, onDone }: Props) {
  const { hub } = useLive()
  const [form, setForm] = useState(() =>
    before ? formOfSchedule(before, zoneHere()) : emptyScheduleForm(zoneHere()),
  )
  const [troubles, setTroubles] = useState<ScheduleTroubles>({})
  const [offers, setOffers] = useState<Offers | null>(null)
  const [isSaving, setSaving] = useState(false)
  // One key for each plan: of a plan that is sent twice, as the hub did not answer, it makes one schedule.
  const [keys] = useState(() => new Map<string, string>())
  const source = useMemo(() => hubNewRunSource(hub), [hub])
  useEffect(() => {
    const leaving = new AbortController()
    source.offers(leaving.signal).then(
      (found) => {
        setOffers(found)
        setForm((form) => ({
          ...form,
          agent: preselectedAgent(found.here, form.agent),
          project: form.project || (found.projects[0]?.id ?? ''),
        }))
      },
      (error: Error) =>
        leaving.signal.aborted || setTroubles({ form: `The choices could not be loaded: ${error.message}` }),
    )
    return () => leaving.abort()
  }, [source])

  const page = useRef<HTMLFormElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is what is wrong that is to be focused
  useEffect(() => {
    page.current?.querySelector<HTMLElement>('[aria-invalid], [role="alert"]')?.focus()
  }, [troubles])

  const change = (part: Partial<ScheduleForm>) => setForm((form) => ({ ...form, ...part }))
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (isSaving) return
    const planned = planSchedule(form, before)
    if ('troubles' in planned) return setTroubles(planned.troubles)
    setTroubles({})
    setSaving(true)
    try {
      onDone(await send(planned.plan))
    } catch (error) {
      setSaving(false)
      const field = error instanceof Refusal ? fieldOfRefused(error.details.field) : 'form'
      setTroubles({ [field]: (error as Error).message })
    }
  }
  const send = ({ project, ...plan }: NewSchedule): Promise<Schedule> => {
    if (!before) {
      const asked = JSON.stringify([project, plan])
      const key = keys.get(asked) ?? randomName()
      keys.set(asked, key)
      return createSchedule(hub, { project, ...plan }, { key, patienceMs: 8000 })
    }
    // A timing that was not changed goes on counting from where it is.
    const { timing, ...others } = plan
    const isSame = JSON.stringify(timing) === JSON.stringify(before.timing)
    return changeSchedule(hub, before.id, isSame ? others : plan, { patienceMs: 8000 })
  }
  const parts = { form, troubles, onChange: change }
  return (
    <PlainPage title={before ? 'Edit the schedule' : 'New schedule'} back={toSchedules}>
      <form className={css.form} onSubmit={(event) => void save(event)} noValidate ref={page}>
        <Field label="Name" trouble={troubles.name} hint="By default the beginning of what is to be done.">
          {(given) => (
            <input
              {...given}
              dir="auto"
              maxLength={200}
              value={form.name}
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
        <TimingPart {...parts} />
        <WorkPart {...parts} offers={offers} isNew={before === null} />
        <PolicyPart {...parts} />
        {troubles.form && (
          <p className={css.notice} role="alert" tabIndex={-1}>
            {troubles.form}
          </p>
        )}
        <div className={css.foot}>
          <Button type="submit" as="main" icon="check" disabled={isSaving || !offers}>
            {isSaving ? 'Saving' : 'Save'}
          </Button>
          <Button onClick={() => onDone(null)}>Cancel</Button>
        </div>
      </form>
    </PlainPage>
  )
}

/** The page for a new schedule. */
export function NewSchedulePage() {
  return (
    <EditSchedule
      before={null}
      onDone={(made) =>
        go(made ? { is: 'schedule', schedule: made.id } : { is: 'schedules' }, { replace: true })
      }
    />
  )
}

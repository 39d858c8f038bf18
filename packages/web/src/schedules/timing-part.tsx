import css from '../new-run/new-run-page.module.css'
import { Field } from '../ui/field.tsx'
import type { Repeats, ScheduleForm, ScheduleTroubles } from './schedule-form.ts'

export type PartProps = {
  form: ScheduleForm
  troubles: ScheduleTroubles
  onChange: (change: Partial<ScheduleForm>) => void
}

const repeats: readonly [Repeats, string][] = [
  ['workdays', 'Monday to Friday'],
  ['daily', 'Every day'],
  ['weekly', 'Every week'],
  ['hours', 'Every few hours'],
  ['once', 'Once'],
  ['cron', 'As a cron expression'],
]
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Chooses when the schedule is due. */
export function TimingPart({ form, troubles, onChange }: PartProps) {
  const hasTime = ['workdays', 'daily', 'weekly'].includes(form.repeats)
  const input = (
    name: 'time' | 'hours' | 'at' | 'cron' | 'zone',
    label: string,
    type = 'text',
    hint?: string,
  ) => (
    <Field label={label} trouble={troubles[name]} hint={hint}>
      {(given) => (
        <input
          {...given}
          type={type}
          autoCapitalize="off"
          spellCheck={false}
          value={form[name]}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      )}
    </Field>
  )
  return (
    <>
      <div className={css.pair}>
        <Field label="When">
          {(given) => (
            <select
              {...given}
              value={form.repeats}
              onChange={(event) => onChange({ repeats: event.target.value as Repeats })}
            >
              {repeats.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
        {form.repeats === 'weekly' && (
          <Field label="Day">
            {(given) => (
              <select
                {...given}
                value={form.weekday}
                onChange={(event) => onChange({ weekday: event.target.value })}
              >
                {weekdays.map((day, at) => (
                  <option key={day} value={String(at)}>
                    {day}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        {hasTime && input('time', 'Time', 'time')}
        {form.repeats === 'hours' && input('hours', 'Hours')}
        {form.repeats === 'once' && input('at', 'Day and time', 'datetime-local')}
        {form.repeats === 'cron' &&
          input('cron', 'Cron expression', 'text', 'Minute, hour, day of the month, month, day of the week.')}
      </div>
      {form.repeats !== 'hours' && input('zone', 'Time zone')}
    </>
  )
}

import type { CatchUp, Overlap } from '@farhand/protocol/schemas/schedules'
import css from '../new-run/new-run-page.module.css'
import { Choice } from '../ui/choice.tsx'
import { Field } from '../ui/field.tsx'
import type { PartProps } from './timing-part.tsx'

/** The policies of a schedule, folded. They open by themselves if a field in them is wrong. */
export function PolicyPart({ form, troubles, onChange }: PartProps) {
  const names = ['setup', 'pauseAfter', 'maxRuns', 'until', 'callbackUrl'] as const
  const isWrong = names.some((name) => name in troubles)
  const input = (
    name: (typeof names)[number],
    label: string,
    more: { type?: string; hint?: string; placeholder?: string } = {},
  ) => (
    <Field label={label} trouble={troubles[name]} hint={more.hint}>
      {(given) => (
        <input
          {...given}
          type={more.type ?? 'text'}
          placeholder={more.placeholder}
          autoCapitalize="off"
          spellCheck={false}
          value={form[name]}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      )}
    </Field>
  )
  return (
    <details className={css.more} open={isWrong || undefined}>
      <summary>Missed times, limits and notifications</summary>
      <div className={css.inside}>
        <Choice<CatchUp>
          label="Runs afterwards for due times at which the hub was off"
          value={form.catchUp}
          onChoose={(catchUp) => onChange({ catchUp })}
          options={[
            { value: 'latest', label: 'One run' },
            { value: 'skip', label: 'None' },
            { value: 'all', label: 'One each' },
          ]}
        />
        <Choice<Overlap>
          label="If the run before is still at work"
          value={form.overlap}
          onChoose={(overlap) => onChange({ overlap })}
          options={[
            { value: 'skip', label: 'Leave it out' },
            { value: 'queue', label: 'Wait for it' },
            { value: 'allow', label: 'Start beside it' },
          ]}
        />
        <div className={css.pair}>
          {input('pauseAfter', 'Pause after failures in a row')}
          {input('maxRuns', 'Runs at most', { placeholder: 'no limit' })}
          {input('until', 'Last day', { type: 'date' })}
        </div>
        {input('setup', 'Setup', {
          placeholder: 'npm ci',
          hint: 'Runs in the workspace before the agent begins, once in each sandbox.',
        })}
        {input('callbackUrl', 'Address to call', {
          type: 'url',
          placeholder: 'https://example.org/hook',
          hint: 'The hub calls it when a run ends or fails, and when none could be started.',
        })}
      </div>
    </details>
  )
}

import type { Field } from '@farhand/protocol/forms/form-fields'
import { useId } from 'react'
import css from './questions.module.css'

type Props = {
  field: Field
  value: unknown
  isDisabled: boolean
  onChange: (value: unknown) => void
}

/** One field of a form. `undefined` means no value. */
export function FormField({ field, value, isDisabled, onChange }: Props) {
  const id = useId()
  const about = field.description ? `${id}-about` : undefined
  const shared = {
    id,
    dir: 'auto',
    disabled: isDisabled,
    required: field.isRequired,
    'aria-describedby': about,
  } as const
  const title = (
    <>
      {field.title}
      {!field.isRequired && <span className={css.mark}> (optional)</span>}
    </>
  )
  const description = field.description && (
    <span id={about} className={css.note} dir="auto">
      {field.description}
    </span>
  )
  if (field.kind === 'many') {
    const chosen = Array.isArray(value) ? value : []
    return (
      <fieldset className={css.field} disabled={isDisabled} aria-describedby={about}>
        <legend dir="auto">{title}</legend>
        {description}
        {field.choices.map((choice) => (
          <label key={choice.value} className={css.tick}>
            <input
              type="checkbox"
              checked={chosen.includes(choice.value)}
              onChange={({ target }) =>
                onChange(
                  target.checked ? [...chosen, choice.value] : chosen.filter((one) => one !== choice.value),
                )
              }
            />
            <span dir="auto">{choice.title}</span>
          </label>
        ))}
      </fieldset>
    )
  }
  if (field.kind === 'yes-no') {
    return (
      <div className={css.field}>
        <label className={css.tick}>
          <input
            {...shared}
            // A required checkbox could not be answered with no.
            required={false}
            type="checkbox"
            checked={value === true}
            onChange={({ target }) => onChange(target.checked)}
          />
          <span dir="auto">{title}</span>
        </label>
        {description}
      </div>
    )
  }
  const text = {
    value: textOf(value),
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value || undefined),
  }
  return (
    <div className={css.field}>
      <label htmlFor={id} dir="auto">
        {title}
      </label>
      {description}
      {field.kind === 'choice' ? (
        <select {...shared} {...text}>
          <option value="">Choose…</option>
          {field.choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.title}
            </option>
          ))}
        </select>
      ) : field.kind === 'number' ? (
        <input {...shared} {...text} inputMode={field.isWhole ? 'numeric' : 'decimal'} />
      ) : (
        <textarea {...shared} {...text} rows={1} />
      )}
    </div>
  )
}

const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

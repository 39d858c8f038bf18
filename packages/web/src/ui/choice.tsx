import { useId } from 'react'
import css from './choice.module.css'

type Option<Value extends string> = { value: Value; label: string; note?: string }
type Props<Value extends string> = {
  label: string
  value: Value
  options: readonly Option<Value>[]
  onChoose: (value: Value) => void
  trouble?: string | undefined
}

/** A group of radio buttons. */
export function Choice<Value extends string>({ label, value, options, onChoose, trouble }: Props<Value>) {
  const name = useId()
  return (
    <fieldset className={css.choice}>
      <legend className={css.legend}>{label}</legend>
      <div className={css.options} data-notes={options.some(({ note }) => note) || undefined}>
        {options.map((option) => (
          <label key={option.value} className={css.option}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChoose(option.value)}
            />
            <span>
              <span className={css.label}>{option.label}</span>
              {option.note && <span className={css.note}>{option.note}</span>}
            </span>
          </label>
        ))}
      </div>
      {trouble && <p className={css.trouble}>{trouble}</p>}
    </fieldset>
  )
}

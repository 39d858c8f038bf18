import type { ReactNode } from 'react'
import css from './segmented-control.module.css'

type Props<Value> = {
  label: string
  values: readonly { value: Value; words: ReactNode }[]
  value: Value
  onChoose: (value: Value) => void
}

/** Two or three buttons, of which one is pressed. */
export function SegmentedControl<Value extends string>({ label, values, value, onChoose }: Props<Value>) {
  return (
    <fieldset className={css.box}>
      <legend className="visually-hidden">{label}</legend>
      {values.map((one) => (
        <button
          key={one.value}
          type="button"
          aria-pressed={one.value === value}
          onClick={() => onChoose(one.value)}
        >
          {one.words}
        </button>
      ))}
    </fieldset>
  )
}

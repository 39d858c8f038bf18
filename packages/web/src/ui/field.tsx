import { type ReactNode, useId } from 'react'
import css from './field.module.css'

type Given = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean | undefined }
type Props = {
  label: string
  hint?: ReactNode
  /** What is wrong with the value. */
  trouble?: string | undefined
  children: (given: Given) => ReactNode
}

/** A form field with its label, hint and error. */
export function Field({ label, hint, trouble, children }: Props) {
  const id = useId()
  const below = `${id}-below`
  const hasBelow = Boolean(hint || trouble)
  return (
    <div className={css.field}>
      <label className={css.label} htmlFor={id} dir="auto">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': hasBelow ? below : undefined,
        'aria-invalid': trouble ? true : undefined,
      })}
      {hasBelow && (
        <div id={below} className={css.below}>
          {trouble && (
            <p className={css.trouble} dir="auto">
              {trouble}
            </p>
          )}
          {hint && <div dir="auto">{hint}</div>}
        </div>
      )}
    </div>
  )
}

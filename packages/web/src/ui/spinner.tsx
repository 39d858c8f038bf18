import css from './spinner.module.css'

/** Says that something is under way. Words beside it say what: it is silent itself. */
export function Spinner({ size = 14 }: { size?: number }) {
  return <span className={css.spinner} style={{ width: size, height: size }} aria-hidden="true" />
}

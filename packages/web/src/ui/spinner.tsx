import css from './spinner.module.css'

/** Shows that something is running. It is hidden from screen readers, so put text beside it. */
export function Spinner({ size = 14 }: { size?: number }) {
  return <span className={css.spinner} style={{ width: size, height: size }} aria-hidden="true" />
}

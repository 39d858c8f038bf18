import { CopyButton } from '../ui/copy-button.tsx'
import css from './sharing.module.css'

/** A link that was made just now: the hub does not show it again. */
export function MadeLink({ label, link }: { label: string; link: string }) {
  return (
    <div className={css.made}>
      <input readOnly aria-label={label} value={link} onFocus={(event) => event.target.select()} />
      <CopyButton text={link} label="Copy the link" icon="link" />
    </div>
  )
}

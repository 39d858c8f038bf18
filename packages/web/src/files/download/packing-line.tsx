import { Button } from '../../ui/button.tsx'
import css from '../files-page.module.css'
import type { Packing } from './use-downloads.ts'

/** The progress of a download that is being prepared. */
export function PackingLine({ packing }: { packing: Packing | null }) {
  return (
    <div role="status">
      {packing && (
        <div className={css.packing}>
          <span>
            {packing.words}: {packing.done.toLocaleString('en')} of {packing.of.toLocaleString('en')}
          </span>
          <progress max={packing.of} value={packing.done} aria-label={packing.words} />
          <Button as="quiet" isSmall onClick={packing.stop}>
            Cancel
          </Button>
        </div>
      )}
    </div>
  )
}

import { plainText } from '@farhand/protocol/text/plain-text'
import { memo, type ReactNode } from 'react'
import { type Folds, useFold } from '../../output/open-sections.ts'
import type { Item } from '../../story/story.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { timeTitle } from '../../ui/time-title.ts'
import type { FailureItem } from '../view-model/with-failures.ts'
import css from './failure-view.module.css'
import row from './row.module.css'

type Props = {
  item: FailureItem
  folds: Folds
  /** Only of a run that has not gone on since. Without a message there is nothing to change. */
  deeds: { onRetry: () => void; onChange: (() => void) | null } | null
  children: (item: Item) => ReactNode
}

/** That the run has failed: why, what can be done about it, and, to be opened, what led to it. */
export const FailureView = memo(function FailureView({ item, folds, deeds, children }: Props) {
  const [isOpen, turn] = useFold(folds, `failure ${item.id}`, false)
  return (
    <section className={css.failure} aria-label="The run has failed" {...timeTitle(item.at)}>
      <p className={css.title}>
        <Icon name="warning" size={17} /> The run has failed
      </p>
      {item.reason !== null && (
        <p className={css.why} dir="auto">
          {plainText(item.reason)}
        </p>
      )}
      {deeds && (
        <span className={css.deeds}>
          <Button isSmall isGuarded icon="refresh" onClick={deeds.onRetry}>
            Retry
          </Button>
          {deeds.onChange && (
            <Button isSmall icon="edit" onClick={deeds.onChange}>
              Edit and resend
            </Button>
          )}
        </span>
      )}
      {item.steps.length > 0 && (
        <div className={css.steps}>
          <button type="button" className={row.fold} aria-expanded={isOpen} onClick={turn}>
            What led to it
            <Icon name="chevron-right" size={14} />
          </button>
          {isOpen && (
            <div className={css.opened}>
              {item.steps.map((step) => (
                <div key={step.id}>{children(step)}</div>
              ))}
            </div>
          )}
        </div>
      )}
    </section>
  )
})

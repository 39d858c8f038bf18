import { plainText } from '@farhand/protocol/text/plain-text'
import type { Item } from '@farhand/story/items/story'
import { memo, type ReactNode } from 'react'
import { type OpenSections, useOpenSection } from '../../output/open-sections.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { timeTitle } from '../../ui/time-title.ts'
import type { FailureItem } from '../view-model/with-failures.ts'
import css from './failure-view.module.css'
import row from './row.module.css'

type Props = {
  item: FailureItem
  openSections: OpenSections
  /** Null if the run has gone on since. `onChange` is null without a message to change. */
  actions: { onRetry: () => void; onChange: (() => void) | null } | null
  children: (item: Item) => ReactNode
}

/** Says that the run failed and why, offers to retry, and can show the steps that led to it. */
export const FailureView = memo(function FailureView({ item, openSections, actions, children }: Props) {
  const [isOpen, toggle] = useOpenSection(openSections, `failure ${item.id}`, false)
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
      {actions && (
        <span className={css.actions}>
          <Button isSmall isGuarded icon="refresh" onClick={actions.onRetry}>
            Retry
          </Button>
          {actions.onChange && (
            <Button isSmall icon="edit" onClick={actions.onChange}>
              Edit and resend
            </Button>
          )}
        </span>
      )}
      {item.steps.length > 0 && (
        <div className={css.steps}>
          <button type="button" className={row.fold} aria-expanded={isOpen} onClick={toggle}>
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

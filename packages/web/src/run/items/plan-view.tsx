import type { PlanItem } from '@farhand/story/items/story'
import { memo } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { PlanSteps } from './plan-steps.tsx'
import css from './plan-view.module.css'

/** The current plan of the agent, as a checklist. */
export const PlanView = memo(function PlanView({ item }: { item: PlanItem }) {
  const done = item.steps.filter(({ status }) => status === 'completed').length
  return (
    <section className={css.plan} aria-label="Plan">
      <h3>
        <Icon name="list" size={16} /> Plan
        <span>
          {done} of {item.steps.length} done
        </span>
      </h3>
      <PlanSteps steps={item.steps} />
    </section>
  )
})

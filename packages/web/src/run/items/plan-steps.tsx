import type { PlanStep } from '@farhand/story/items/story'
import { Icon } from '../../ui/icon.tsx'
import { renderList } from '../../ui/render-list.ts'
import { Spinner } from '../../ui/spinner.tsx'
import css from './plan-steps.module.css'

const states = { pending: 'to do', in_progress: 'running', completed: 'done' } as const

/** The steps of a plan, each with its status. */
export function PlanSteps({ steps }: { steps: readonly PlanStep[] }) {
  return (
    <ol className={css.steps}>
      {renderList(steps, ({ text, status }) => (
        <li className={css[status]}>
          <span className={css.mark}>
            {status === 'completed' && <Icon name="check" size={14} />}
            {status === 'in_progress' && <Spinner size={12} />}
          </span>
          <span className="visually-hidden">{states[status]}: </span>
          <span dir="auto">{text}</span>
        </li>
      ))}
    </ol>
  )
}

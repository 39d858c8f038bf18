import { memo, useContext, useState } from 'react'
import { StopButton } from '../composer/stop-button.tsx'
import { MayActContext } from '../outbox/may-act.ts'
import { TimeSince } from '../time/time-since.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { PlanSteps } from './items/plan-steps.tsx'
import css from './progress-card.module.css'
import { type Progress, stepNow } from './view-model/progress.ts'

type Props = { progress: Progress; onStop: () => void }

/** What the agent is doing, how far it is and for how long, while a turn is open; with a stop button for long work. */
export const ProgressCard = memo(function ProgressCard({ progress, onStop }: Props) {
  const [isOpen, setOpen] = useState(false)
  const mayStop = useContext(MayActContext) === 'yes'
  const { now, steps, done, since, isAsking } = progress
  const share = steps.length > 0 ? done / steps.length : 0
  return (
    <section className={css.card} aria-label="Progress">
      <div className={css.line}>
        {isAsking ? <Icon name="question" size={16} /> : <Spinner />}
        <span className={css.now} dir="auto">
          {now}
        </span>
        {since && (
          <span className={css.time}>
            <TimeSince at={since} isElapsed />
          </span>
        )}
        {steps.length > 0 && (
          <Button as="quiet" isSmall aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            step {stepNow(steps)} of {steps.length}
          </Button>
        )}
        {steps.length > 0 && mayStop && <StopButton key={since} isSmall onStop={onStop} />}
      </div>
      {steps.length > 0 && (
        <div className={css.bar}>
          <div style={{ transform: `scaleX(${share})` }} />
        </div>
      )}
      {isOpen && steps.length > 0 && (
        <div className={css.steps}>
          <PlanSteps steps={steps} />
        </div>
      )}
    </section>
  )
})

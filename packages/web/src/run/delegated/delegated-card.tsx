import type { Hub } from '@farhand/client/requests/hub'
import { changeDelegated } from '@farhand/client/resources/delegated-run'
import type { CardStep, TaskAction } from '@farhand/protocol/delegated/delegated-tasks'
import type { RunId } from '@farhand/protocol/wire/ids'
import { elapsedMs, leftMs, percentOf, type TaskCard, taskCard } from '@farhand/story/delegated/task-card'
import type { Story } from '@farhand/story/items/story'
import { durationInWords } from '@farhand/story/wording/duration-in-words'
import { memo, useEffect, useMemo, useState } from 'react'
import { hubClock } from '../../time/hub-clock.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { renderList } from '../../ui/render-list.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toasts.ts'
import css from './delegated-card.module.css'

type Props = { hub: Hub; run: RunId; story: Story }

const stands: Record<TaskCard['status'], { words: string; tone: Tone }> = {
  submitted: { words: 'Waiting to begin', tone: 'accent' },
  working: { words: 'Working', tone: 'accent' },
  paused: { words: 'Paused', tone: 'plain' },
  completed: { words: 'Completed', tone: 'good' },
  failed: { words: 'Failed', tone: 'bad' },
  canceled: { words: 'Canceled', tone: 'plain' },
}

/** How far a delegated task is: its steps, how much is done and how long it takes, with buttons to pause and to cancel it. */
export const DelegatedCard = memo(function DelegatedCard({ hub, run, story }: Props) {
  const card = useMemo(() => taskCard(story), [story])
  const isOver = story.task.ended !== null
  const [chosen, setOpen] = useState<boolean | null>(null)
  const isOpen = chosen ?? !isOver
  const { words, tone } = stands[card.status]
  const { steps, earlier, progress } = card
  const percent = percentOf(progress)
  return (
    <section className={css.card} aria-label="Delegated task">
      <div className={css.head}>
        <span className={css.title}>Delegated task</span>
        <Badge tone={card.isAsking ? 'warn' : tone}>
          {card.isAsking ? 'Waiting for your answer' : words}
        </Badge>
        <span className={css.buttons}>
          {steps.length > 0 && (
            <Button as="quiet" isSmall aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Hide steps' : 'Steps'}
            </Button>
          )}
          {!isOver && <StateButtons key={card.status} {...{ hub, run }} status={card.status} />}
        </span>
      </div>
      {isOpen && steps.length > 0 && (
        <ol className={css.steps}>
          {earlier > 0 && <li className={css.earlier}>{earlier} earlier</li>}
          {renderList(steps, (step) => (
            <StepRow step={step} />
          ))}
        </ol>
      )}
      <div className={css.foot}>
        {percent !== null && (
          <>
            <progress className={css.bar} value={percent} max={100} aria-label="Done" />
            <span>{percent} %</span>
          </>
        )}
        <Times card={card} />
      </div>
    </section>
  )
})

const said = { done: 'done', running: 'running', pending: 'to do', failed: 'failed' } as const

const StepRow = ({ step: { text, state } }: { step: CardStep }) => (
  <li className={css[state]}>
    <span className={css.mark}>
      {state === 'done' && <Icon name="check" size={14} />}
      {state === 'failed' && <Icon name="close" size={14} />}
      {state === 'running' && <Spinner size={12} />}
    </span>
    <span dir="auto">{text}</span>
    <span className={css.state}>{said[state]}</span>
  </li>
)

/** How long it has taken, and about how long the rest takes; counted by the hub's clock while the agent works. */
function Times({ card }: { card: TaskCard }) {
  const isRunning = card.status === 'working'
  const [now, setNow] = useState(hubClock.now)
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(hubClock.now()), 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  if (card.startedAt === null) return null
  const left = leftMs(card, now)
  return (
    <span className={css.times}>
      {card.endedAt === null
        ? `${inWholeSeconds(elapsedMs(card, now))} elapsed`
        : `took ${inWholeSeconds(elapsedMs(card, now))}`}
      {left !== null && ` · about ${inWholeSeconds(left)} left`}
    </span>
  )
}

const inWholeSeconds = (ms: number) =>
  (ms < 1000 ? '0 s' : durationInWords(Math.floor(ms / 1000) * 1000)).replace('.0', '')

const doing: Record<TaskAction, string> = { pause: 'Pausing…', resume: 'Resuming…', cancel: 'Canceling…' }

function StateButtons({ hub, run, status }: Pick<Props, 'hub' | 'run'> & { status: TaskCard['status'] }) {
  const [asked, setAsked] = useState<TaskAction | null>(null)
  const change = async (action: TaskAction) => {
    setAsked(action)
    try {
      // One try: the second would be refused if only the answer of the first was lost.
      await changeDelegated(hub, run, action, { patienceMs: 0 })
    } catch (error) {
      setAsked(null)
      toast(error instanceof Error ? error.message : String(error), { tone: 'bad' })
    }
  }
  const button = (action: TaskAction, label: string) => (
    <Button
      isSmall
      isGuarded={action === 'cancel'}
      icon={action === 'cancel' ? 'close' : action === 'pause' ? 'pause' : 'play'}
      disabled={asked !== null}
      onClick={() => void change(action)}
    >
      {asked === action ? doing[action] : label}
    </Button>
  )
  return (
    <>
      {status === 'working' && button('pause', 'Pause')}
      {status === 'paused' && button('resume', 'Resume')}
      {button('cancel', 'Cancel')}
    </>
  )
}

import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import type { QuestionItem } from '@farhand/story/items/story'
import { answerInWords } from '@farhand/story/wording/answer-in-words'
import { outcomeInWords } from '@farhand/story/wording/outcome-in-words'
import { memo, useContext, useEffect, useMemo, useState } from 'react'
import { safeLink } from '../markdown/safe-link.ts'
import type { UnsentAction } from '../outbox/actions.ts'
import { MayActContext } from '../outbox/may-act.ts'
import { hubClock } from '../time/hub-clock.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { useSettled } from '../ui/use-settled.ts'
import { AnswerButton } from './answer-button.tsx'
import { answerControls } from './answer-controls.ts'
import { FreeTextAnswer } from './free-text-answer.tsx'
import { QuestionForm } from './question-form.tsx'
import css from './questions.module.css'

type Props = {
  question: QuestionItem
  onAnswer: (answer: unknown) => void
  /** The answer that has not reached the hub yet. */
  unsent?: UnsentAction | null
  onResend?: (key: string) => void
  /** Whether the keys 1 to 9 belong to this question: of several open questions, only one has them. */
  hasKeys?: boolean
}

/**
 * The controls to answer a question, or its outcome; without the text of the question. It is used in the card of a
 * tool and in the card of a question.
 */
export const QuestionControls = memo(function QuestionControls(props: Props) {
  const { question, onAnswer, unsent = null, onResend, hasKeys = false } = props
  const [own, setOwn] = useState<{ answer: unknown } | null>(null)
  const controls = useMemo(() => answerControls(question.asked), [question.asked])
  const isOpen = question.state === 'open'
  const mayAct = useContext(MayActContext) === 'yes'
  const isSettled = useSettled(question.asked.questionId)
  const time = useCountdown(question.asked, isOpen)
  const end = outcomeInWords(question, own)
  if (end !== null) {
    return (
      <p className={css.end} role="status" dir="auto">
        <Icon
          name={question.state === 'answered' || question.state === 'given' ? 'check' : 'info'}
          size={16}
        />
        {end}
      </p>
    )
  }
  if (!mayAct) {
    return (
      <p className={css.end} role="status">
        <Icon name="clock" size={16} /> Waits for an answer. You may see this run, not answer in it.
      </p>
    )
  }
  const isRefused = unsent?.state === 'refused'
  // An unsent answer from days ago: the user may decide otherwise now.
  const isStale = unsent?.state === 'stale'
  const isUnderWay = unsent ? !isRefused && !isStale : own !== null
  const answer = (said: unknown) => {
    setOwn({ answer: said })
    onAnswer(said)
  }
  const mainChoice = controls.choices.find(({ tone }) => tone === 'allow') ?? null
  const page = controls.page === null ? null : safeLink(controls.page)
  return (
    <fieldset className={css.area} aria-label="Your answer">
      {controls.page !== null &&
        (page ? (
          <a className={css.page} href={page} target="_blank" rel="noopener noreferrer">
            <Icon name="globe" size={16} /> {page}
          </a>
        ) : (
          <code className={css.page} dir="auto">
            {controls.page}
          </code>
        ))}
      {controls.choices.length > 0 && (
        <div className={css.choices}>
          {controls.choices.map((choice, at) => (
            <AnswerButton
              key={choice.answer}
              choice={choice}
              digit={hasKeys && at < 9 ? at + 1 : null}
              isMain={choice === mainChoice}
              isDisabled={isUnderWay || !isSettled}
              onPress={answer}
            />
          ))}
        </div>
      )}
      {controls.fields.length > 0 && (
        <QuestionForm
          question={question.asked.questionId}
          fields={controls.fields}
          isDisabled={isUnderWay}
          onAnswer={answer}
        />
      )}
      {controls.freeText !== null && (
        <FreeTextAnswer
          question={question.asked.questionId}
          label={controls.freeText}
          isMain={controls.choices.length === 0}
          isDisabled={isUnderWay}
          onAnswer={answer}
        />
      )}
      <div className={css.foot}>
        {isUnderWay ? (
          <span className={css.sent} role="status">
            <Spinner size={12} />{' '}
            {unsent?.state === 'waiting' ? 'Saved here until the hub can be reached' : 'Sent'}
          </span>
        ) : (
          controls.canDecline && (
            <Button as="quiet" isSmall isGuarded disabled={!isSettled} onClick={() => answer(null)}>
              Decline to answer
            </Button>
          )
        )}
        {time && (
          <span className={css.time} role="timer">
            <Icon name="clock" size={14} /> {time}
          </span>
        )}
      </div>
      {isRefused && (
        <p role="alert" className={css.problem}>
          Not accepted: {unsent.why ?? 'the hub did not say why'}{' '}
          {onResend && (
            <Button isSmall isGuarded onClick={() => onResend(unsent.key)}>
              Try again
            </Button>
          )}
        </p>
      )}
    </fieldset>
  )
})

/** The words of a countdown, updated each second while `isOpen`. */
function useCountdown(asked: OpenQuestion, isOpen: boolean): string | null {
  const [now, setNow] = useState(hubClock.now)
  const left = isOpen ? countdown(asked, now) : null
  const isTicking = left !== null && left.leftMs > 0
  useEffect(() => {
    if (!isTicking) return
    setNow(hubClock.now())
    const ticking = setInterval(() => setNow(hubClock.now()), 1000)
    return () => clearInterval(ticking)
  }, [isTicking])
  return left?.words ?? null
}

type Timed = Pick<OpenQuestion, 'timeout' | 'askedAt' | 'default' | 'options'>

/** How long a question still waits, and what happens then; null if it has no timeout. Never negative. */
export function countdown(asked: Timed, nowMs: number): { leftMs: number; words: string } | null {
  if (asked.timeout === null) return null
  const leftMs = Math.max(0, Date.parse(asked.askedAt) + asked.timeout * 1000 - nowMs)
  const hasDefault = asked.default !== null && asked.default !== undefined
  const then = hasDefault ? `“${answerInWords(asked, asked.default)}” is taken` : 'it is withdrawn'
  if (leftMs === 0) return { leftMs, words: `Time is up: ${then}.` }
  return { leftMs, words: `${leftInWords(leftMs)} left, then ${then}` }
}

function leftInWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.ceil(seconds / 60)} min`
  return `${Math.ceil(seconds / 3600)} h`
}

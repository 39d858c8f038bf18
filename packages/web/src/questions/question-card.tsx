import { fieldsOf } from '@farhand/protocol/forms/form-fields'
import { type ComponentProps, memo } from 'react'
import { Markdown } from '../markdown/markdown.tsx'
import { AskedText } from '../output/asked-text.tsx'
import { LongText } from '../output/long-text.tsx'
import type { OpenSections } from '../output/open-sections.ts'
import { Icon } from '../ui/icon.tsx'
import { type AnswerableQuestion, answerControls } from './answer-controls.ts'
import { QuestionControls } from './question-controls.tsx'
import css from './questions.module.css'

type Props = ComponentProps<typeof QuestionControls> & {
  openSections: OpenSections
  fetchBlob: (hash: string) => Promise<Uint8Array>
}

/** A question in a card of its own, with its controls. */
export const QuestionCard = memo(function QuestionCard({ openSections, fetchBlob, ...props }: Props) {
  const { asked, state } = props.question
  const isOpen = state === 'open'
  const heading = asked.isPlan
    ? 'Plan to approve'
    : asked.kind === 'permission'
      ? 'Permission request'
      : 'Question'
  return (
    <article className={isOpen ? `${css.card} ${css.open}` : css.card} aria-label={heading}>
      <h3 className={css.heading}>
        <Icon name={asked.isPlan ? 'list' : 'question'} size={17} />
        {heading}
      </h3>
      <div className={css.text} tabIndex={asked.isPlan ? 0 : undefined}>
        <LongText item={props.question} {...{ openSections, fetchBlob }}>
          {(text) =>
            // Shown without markdown: markdown could hide a part of the command that the user allows.
            asked.kind === 'permission' && !asked.isPlan ? (
              <AskedText className={css.literal} text={text} />
            ) : (
              <Markdown text={isOpen ? wordsAboveForm({ ...asked, question: text }) : text} />
            )
          }
        </LongText>
      </div>
      <QuestionControls {...props} />
    </article>
  )
})

/** The question without the list of fields that agents append for clients without forms: this page shows the form. */
export function wordsAboveForm(asked: AnswerableQuestion & { question: string }): string {
  const [first] = asked.form ? fieldsOf(asked.form) : []
  if (!first || answerControls(asked).fields.length === 0) return asked.question
  const lines = asked.question.split('\n')
  const begins = [`- ${first.title} (${first.name})`, `- ${first.name}`]
  const at = lines.findIndex((line) => begins.some((words) => line.startsWith(words)))
  return at > 0 ? lines.slice(0, at).join('\n') : asked.question
}

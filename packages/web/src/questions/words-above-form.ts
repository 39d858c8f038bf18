import { fieldsOf } from '@farhand/protocol/forms/form-fields'
import { type AnswerableQuestion, answerControls } from './answer-controls.ts'

/** The question without the list of fields that agents append for clients without forms: this page shows the form. */
export function wordsAboveForm(asked: AnswerableQuestion & { question: string }): string {
  const [first] = asked.form ? fieldsOf(asked.form) : []
  if (!first || answerControls(asked).fields.length === 0) return asked.question
  const lines = asked.question.split('\n')
  const begins = [`- ${first.title} (${first.name})`, `- ${first.name}`]
  const at = lines.findIndex((line) => begins.some((words) => line.startsWith(words)))
  return at > 0 ? lines.slice(0, at).join('\n') : asked.question
}

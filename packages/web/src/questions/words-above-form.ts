import { fieldsOf } from '@farhand/protocol/forms/form-fields'
import { type Asked, answerControls } from './answer-controls.ts'

/** What is asked, without the list of fields that stands in it for those who see no form: here they would see both. */
export function wordsAboveForm(asked: Asked & { question: string }): string {
  const [first] = asked.form ? fieldsOf(asked.form) : []
  if (!first || answerControls(asked).fields.length === 0) return asked.question
  const lines = asked.question.split('\n')
  const begins = [`- ${first.title} (${first.name})`, `- ${first.name}`]
  const at = lines.findIndex((line) => begins.some((words) => line.startsWith(words)))
  return at > 0 ? lines.slice(0, at).join('\n') : asked.question
}

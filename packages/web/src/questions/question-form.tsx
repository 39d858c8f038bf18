import { formContent } from '@farhand/protocol/forms/form-content'
import type { Field } from '@farhand/protocol/forms/form-fields'
import { plainText } from '@farhand/protocol/text/plain-text'
import { type SubmitEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { formDraft, saveAnswerDraft } from './answer-drafts.ts'
import { FormField } from './form-field.tsx'
import css from './questions.module.css'

type Props = {
  question: string
  fields: readonly Field[]
  isDisabled: boolean
  onAnswer: (content: unknown) => void
}

/** A form as the agent described it. It checks the values by the agent's rules before sending. */
export function QuestionForm({ question, fields, isDisabled, onAnswer }: Props) {
  const [values, setValues] = useState(() => ({ ...beginning(fields), ...formDraft(question) }))
  const [problem, setProblem] = useState<string | null>(null)
  const [isTouched, setTouched] = useState(false)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const filled = formContent(fields, said(values))
    if ('problem' in filled) return setProblem(filled.problem)
    setProblem(null)
    saveAnswerDraft(question, '')
    onAnswer(filled.content)
  }
  return (
    <form className={css.form} onSubmit={submit} noValidate>
      {fields.map((field) => (
        <FormField
          key={field.name}
          field={field}
          value={values[field.name]}
          isDisabled={isDisabled}
          onChange={(value) => {
            const all = { ...values, [field.name]: value }
            setValues(all)
            setTouched(true)
            // null: a field that the user emptied stays empty.
            saveAnswerDraft(
              question,
              JSON.stringify(all, (_, one) => one ?? null),
            )
          }}
        />
      ))}
      {problem && (
        <p role="alert" className={css.problem}>
          {problem}
        </p>
      )}
      <div>
        <Button as="main" type="submit" isGuarded={!isTouched} disabled={isDisabled}>
          Send
        </Button>
      </div>
    </form>
  )
}

/** The initial values: an unticked required checkbox means no. */
function beginning(fields: readonly Field[]): Record<string, unknown> {
  const value = (field: Field) =>
    plain(field) ?? (field.kind === 'yes-no' && field.isRequired ? false : undefined)
  return Object.fromEntries(fields.map((field) => [field.name, value(field)]))
}

/** Defaults are shown as plain text, because the user may send them as they are. */
const plain = (field: Field) =>
  field.kind === 'text' && typeof field.default === 'string' ? plainText(field.default) : field.default

const said = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null))

import { type Field, fieldsOf, mainField } from '@farhand/protocol/forms/form-fields'
import type { QuestionOption } from '@farhand/protocol/methods/questions'
import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { plainLine } from '@farhand/protocol/text/plain-text'
import { isOption, optionId, optionName } from '@farhand/story/wording/answer-in-words'

/** One button. `answer` is sent when it is pressed. */
export type AnswerChoice = {
  answer: string
  name: string
  note: string | null
  tone: 'allow' | 'reject' | 'plain'
  isDefault: boolean
}

/** The controls to answer a question with; each may be empty, but not all. */
export type AnswerControls = {
  choices: readonly AnswerChoice[]
  /** Fields to fill in together. */
  fields: readonly Field[]
  /** The label for a free-text answer; null if only the choices count. */
  freeText: string | null
  /** A page to open first. */
  page: string | null
  /** Whether the user can decline to answer. */
  canDecline: boolean
}

export type AnswerableQuestion = Pick<OpenQuestion, 'kind' | 'options' | 'default' | 'form' | 'url'>

/** The controls for a question. It invents no choices, and offers free text only where that can be an answer. */
export function answerControls(asked: AnswerableQuestion): AnswerControls {
  const fields = asked.form ? fieldsOf(asked.form) : []
  const main = mainField(fields)
  const choices = (asked.options ?? []).map((option) => choiceOf(option, asked, main))
  const page = asked.url === null ? null : plainLine(asked.url)
  if (choices.length === 0) {
    const isPlain = fields.length === 0
    return { choices, fields, freeText: isPlain ? 'Answer' : null, page, canDecline: true }
  }
  const others = fields.filter((field) => field !== main)
  const beside = others[0]
  // Agents add a text field beside the choices; more fields than that have to be shown as a form.
  const isJustChoices =
    others.length === 0 || (others.length === 1 && isForWords(beside) && !beside.isRequired)
  if (!isJustChoices) return { choices: [], fields, freeText: null, page, canDecline: true }
  const takesAnything =
    asked.kind === 'question' && (asked.options ?? []).every((option) => typeof option === 'string')
  const freeText = beside ? beside.title : takesAnything ? 'Something else' : null
  return { choices, fields: [], freeText, page, canDecline: asked.form !== null && fields.length > 0 }
}

const isForWords = (field: Field | undefined): field is Field => field?.kind === 'text'

function choiceOf(option: QuestionOption, asked: AnswerableQuestion, main: Field | null): AnswerChoice {
  const answer = optionId(option)
  const kind = typeof option === 'string' ? '' : (option.kind ?? '')
  const described = main?.kind === 'choice' ? main.choices.find(({ value }) => value === answer) : null
  return {
    answer,
    name: plainLine(optionName(option)),
    note: described?.description ?? null,
    tone: kind.startsWith('allow') ? 'allow' : kind.startsWith('reject') ? 'reject' : 'plain',
    isDefault: isOption(option, asked.default),
  }
}

import { type Field, fieldsOf, mainField } from '@farhand/protocol/forms/form-fields'
import type { QuestionOption } from '@farhand/protocol/methods/questions'
import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { plainLine, plainText } from '@farhand/protocol/text/plain-text'

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

const idOf = (option: QuestionOption) => (typeof option === 'string' ? option : option.optionId)
const nameOf = (option: QuestionOption) => (typeof option === 'string' ? option : option.name)

function choiceOf(option: QuestionOption, asked: AnswerableQuestion, main: Field | null): AnswerChoice {
  const answer = idOf(option)
  const kind = typeof option === 'string' ? '' : (option.kind ?? '')
  const described = main?.kind === 'choice' ? main.choices.find(({ value }) => value === answer) : null
  return {
    answer,
    name: plainLine(nameOf(option)),
    note: described?.description ?? null,
    tone: kind.startsWith('allow') ? 'allow' : kind.startsWith('reject') ? 'reject' : 'plain',
    isDefault: isSame(option, asked.default),
  }
}

/** An answer in one line for the user: the name of an option, or the values of a form. */
export function answerInWords({ options }: Pick<AnswerableQuestion, 'options'>, answer: unknown): string {
  if (answer === null || answer === undefined) return 'no answer'
  const chosen = (options ?? []).find((option) => isSame(option, answer))
  if (chosen !== undefined) return plainLine(nameOf(chosen))
  if (typeof answer !== 'object') return plainText(String(answer))
  const said = Object.entries(answer).map(([name, value]) => `${name}: ${inWords(value)}`)
  return plainText(said.join(', ')) || 'yes'
}

const inWords = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

function isSame(option: QuestionOption, answer: unknown): boolean {
  // A form with a single field is shown as a choice, but may be answered as a form.
  const [only, ...more] = typeof answer === 'object' && answer !== null ? Object.values(answer) : [answer]
  return more.length === 0 && only != null && (String(only) === idOf(option) || only === nameOf(option))
}

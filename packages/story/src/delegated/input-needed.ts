import type { InputNeeded } from '@farhand/protocol/delegated/delegated-tasks'
import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { plainText, shortened } from '@farhand/protocol/text/plain-text'
import { optionId, optionName } from '../wording/answer-in-words.ts'

/** A question as the reader of a task gets it: its options by their names, each of which is an answer. */
export const inputNeeded = ({
  questionId,
  question,
  kind,
  options,
}: Pick<OpenQuestion, 'questionId' | 'question' | 'kind' | 'options'>): InputNeeded => ({
  question_id: questionId,
  kind,
  prompt: plainText(question),
  options: (options ?? []).map((option) => plainText(optionName(option))),
})

export type InputMeaning =
  | { is: 'answer'; question: OpenQuestion; answer: unknown }
  | { is: 'message'; text: string }
  | { is: 'refused'; field: 'input' | 'question_id'; why: string }

const yesOrNo = /^(y|n|yes|no)$/i

/**
 * What an input to a task means: the answer to the only open question, or to the one that it names; a message to the agent if no
 * question is open. An input that fits no option of a question is refused, as the agent could take it for consent.
 */
export function inputMeaning(
  pending: readonly OpenQuestion[],
  input: unknown,
  questionId: string | null,
): InputMeaning {
  if (questionId === null && pending.length === 0) {
    if (typeof input === 'string' && input.trim() !== '') return { is: 'message', text: input }
    return refused('input', 'no question is open, so expected a text for the agent')
  }
  const fitting = questionId === null ? pending : pending.filter((one) => one.questionId === questionId)
  const [question] = fitting
  if (!question) return refused('question_id', 'this question is not open, or not any more')
  if (fitting.length > 1) {
    const ids = fitting.map((one) => one.questionId).join(', ')
    return refused('question_id', `${fitting.length} questions are open: name one of ${shortened(ids, 400)}`)
  }
  return answerTo(question, input)
}

function answerTo(question: OpenQuestion, input: unknown): InputMeaning {
  const options = question.options ?? []
  const answer = (answer: unknown): InputMeaning => ({ is: 'answer', question, answer })
  if (options.length === 0) {
    const isEmpty = input === null || (typeof input === 'string' && input.trim() === '')
    return isEmpty ? refused('input', 'expected an answer') : answer(input)
  }
  const said = typeof input === 'string' ? input.trim() : null
  const names = (one: (typeof options)[number]) => [
    optionName(one),
    plainText(optionName(one)),
    optionId(one),
  ]
  const exact = options.filter((one) => names(one).some((name) => name.trim() === said))
  const close = options.filter((one) =>
    names(one).some((name) => name.trim().toLowerCase() === said?.toLowerCase()),
  )
  const chosen = exact.length === 1 ? exact[0] : close.length === 1 ? close[0] : undefined
  if (chosen !== undefined) return answer(optionId(chosen))
  // The runner decides which options yes and no mean: it knows which of them allow and which reject.
  if (question.kind === 'permission' && said !== null && yesOrNo.test(said)) return answer(said)
  // A form may take more than its options.
  if (question.form !== null && question.kind !== 'permission' && !isEmptyText(input)) return answer(input)
  const list = options.map((one) => JSON.stringify(plainText(optionName(one)))).join(', ')
  return refused('input', `expected one of ${shortened(list, 1000)}`)
}

const isEmptyText = (input: unknown) =>
  input === null || input === undefined || (typeof input === 'string' && input.trim() === '')

const refused = (field: 'input' | 'question_id', why: string): InputMeaning => ({ is: 'refused', field, why })

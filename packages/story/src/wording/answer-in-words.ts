import type { AgentQuestion, QuestionOption } from '@farhand/protocol/methods/questions'
import { plainLine, plainText } from '@farhand/protocol/text/plain-text'

/** The parts of a question that give its answers a name. */
export type Answerable = {
  options?: readonly QuestionOption[] | null | undefined
  kind?: AgentQuestion['kind'] | null | undefined
}

export const optionId = (option: QuestionOption) => (typeof option === 'string' ? option : option.optionId)
export const optionName = (option: QuestionOption) => (typeof option === 'string' ? option : option.name)

/** An answer in one line for the user: the name of an option, or the values of a form. */
export function answerInWords({ options, kind }: Answerable, answer: unknown): string {
  if (answer === null || answer === undefined) return 'no answer'
  const all = options ?? []
  const short = kind === 'permission' ? meantBy(String(answer), all) : undefined
  const chosen = all.find((option) => isOption(option, answer)) ?? short
  if (chosen !== undefined) return plainLine(optionName(chosen))
  if (typeof answer !== 'object') return plainText(String(answer))
  const said = Object.entries(answer).map(([name, value]) => `${name}: ${inWords(value)}`)
  return plainText(said.join(', ')) || 'yes'
}

const inWords = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Whether this answer, which may be a form of a single field, is the option. */
export function isOption(option: QuestionOption, answer: unknown): boolean {
  const [only, ...more] = typeof answer === 'object' && answer !== null ? Object.values(answer) : [answer]
  return (
    more.length === 0 && only != null && (String(only) === optionId(option) || only === optionName(option))
  )
}

/** The option that yes or no means, if only one can be meant. */
function meantBy(said: string, options: readonly QuestionOption[]): QuestionOption | undefined {
  const [, yes, no] = /^(?:(y|yes)|(n|no))$/i.exec(said) ?? []
  const kind = yes ? 'allow_once' : no ? 'reject_once' : null
  const meant = options.filter((option) => typeof option !== 'string' && kind && option.kind === kind)
  return meant.length === 1 ? meant[0] : undefined
}

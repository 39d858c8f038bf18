import type { AgentQuestion, QuestionOption } from '@farhand/protocol/methods/questions'
import { answerInWords as answerSaid, optionId, optionName } from '@farhand/story/wording/answer-in-words'
import { firstLine, shownText } from '../printing/shown-text.ts'
import { formExample } from './form-example.ts'

/** What a question has wherever it comes from: the agent, the log, or the status of a run. */
export type Asked = {
  question: string
  options?: AgentQuestion['options'] | null | undefined
  kind?: AgentQuestion['kind'] | null | undefined
  form?: unknown
  url?: string | null | undefined
  isPlan?: boolean | undefined
  default?: unknown
}

/** The lines that show a question, its options numbered; with `canEnter`, Enter takes the default. */
export function questionInWords(asked: Asked, canEnter = false): string[] {
  const { question, options, form, url, isPlan } = asked
  const lines = shownText(question).split('\n')
  const example = formExample(form)
  return [
    ...lines.map((line, at) => `${at === 0 ? '?' : ' '} ${line}`),
    // Most agents name the address in the text as well.
    ...(url && !question.includes(url) ? [`  Open: ${shownText(url)}`] : []),
    ...(isPlan ? ['  This is a plan: the agent begins once you agree.'] : []),
    ...(options ?? []).map((option, at) => `  ${at + 1}  ${shownText(optionName(option))}`),
    ...(example === null ? [] : [`  Answer like ${example}`]),
    ...(hasDefault(asked)
      ? [`  Default: ${answerInWords(asked, asked.default)}${canEnter ? ' (Enter takes it)' : ''}`]
      : []),
  ]
}

/**
 * The answer that the user typed: an option by its number, name or id, a form as JSON, the text itself, or the default
 * for an empty line. Null if the question takes only its options and this is none of them.
 */
export function answerTyped(asked: Asked, typed: string): { answer: unknown } | null {
  const { options, kind } = asked
  const said = typed.trim()
  if (said === '') return hasDefault(asked) ? { answer: asked.default } : null
  const all = options ?? []
  const number = /^\d{1,3}$/.test(said) ? all[Number(said) - 1] : undefined
  const lower = said.toLowerCase()
  const isMeant = (option: QuestionOption) =>
    optionId(option) === said ||
    optionName(option).toLowerCase() === lower ||
    optionId(option).toLowerCase() === lower
  const meant = number ?? all.find(isMeant)
  if (meant !== undefined) return { answer: optionId(meant) }
  // The runner decides which options yes and no mean: it knows which of them allow and which reject.
  if (kind === 'permission' && all.length > 0 && !/^(y|n|yes|no)$/.test(lower)) return null
  return { answer: asJson(said) ?? said }
}

/** What the user can type as an answer, shown after a wrong one. */
export const answersInWords = ({ options, kind, form }: Asked) =>
  (options ?? []).length === 0
    ? `Type an answer${formExample(form) === null ? '' : ` like ${formExample(form)}`}, then Enter.`
    : `Type a number from 1 to ${options!.length}, or a name${kind === 'permission' ? ', y or n' : ''}.`

/** An answer in one line: the name of the option, or the text. */
export const answerInWords = (asked: Asked, answer: unknown): string => firstLine(answerSaid(asked, answer))

const hasDefault = (asked: Asked) => asked.default !== undefined && asked.default !== null

function asJson(said: string): unknown {
  if (!/^[[{]/.test(said)) return undefined
  try {
    return JSON.parse(said)
  } catch {
    // A text that begins like JSON.
    return undefined
  }
}

import { wantsToContinue } from '@farhand/runner/limits/wants-to-continue'
import { outcomeOf } from '@farhand/runner/questions/outcome-of'
import type { Asked } from './question-in-words.ts'

/** The most options that a question in the log has; the agent may have offered more. */
const mostShown = 100

/** Why the runner would refuse an answer, in its words, as far as the question tells; null if it may accept it. */
export function answerProblem(asked: Asked, answer: unknown): string | null {
  const ask = askOf(asked)
  if (!ask) return null
  // A form that is too large for the log is not in the question.
  if (!asked.form && !asked.url && typeof answer === 'object') return null
  if (isAboutLimit(asked) && wantsToContinue({ options: asked.options ?? [] }, answer) !== null) return null
  const outcome = outcomeOf(ask, answer)
  return 'problem' in outcome ? outcome.problem : null
}

/** A request of an agent that leads to this question: the runner checks answers against such a request. */
function askOf({ question, options, form, url }: Asked): { method: string; params: unknown } | null {
  const elicitation = 'elicitation/create'
  if (form) return { method: elicitation, params: { mode: 'form', message: question, requestedSchema: form } }
  if (url) return { method: elicitation, params: { mode: 'url', message: question, url } }
  const all = options ?? []
  if (all.length === 0 || all.length >= mostShown) return null
  const whole = all.map((option) =>
    typeof option === 'string' ? { optionId: option, name: option } : option,
  )
  return { method: 'session/request_permission', params: { options: whole } }
}

const isAboutLimit = ({ options }: Asked) =>
  (options ?? []).map((option) => (typeof option === 'string' ? option : option.optionId)).join() ===
  'continue,stop'

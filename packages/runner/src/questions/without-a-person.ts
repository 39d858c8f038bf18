import type { AgentQuestion } from '@farhand/protocol/methods/questions'
import { plainLine } from '@farhand/protocol/plain-text'

/** What a question is answered with where no person is waited for, and why, for people to read; null is no answer (W65). */
export type Unattended = { answer: unknown; why: string }

// Those that put a decision off come before those that decide against something, and these before those that end the work.
const harmless = [
  /^(skip|later|not (now|yet)|none|nothing|do nothing|ignore|neither)\b/i,
  /^(no|don['’]?t|do not|keep|leave|decline|reject|deny|refuse)\b/i,
  /^(cancel|stop|abort|quit|exit)\b/i,
]

/**
 * The answer to a question in background mode without a policy: its default, else the choice that changes least, else none. A
 * permission is never given in this way: the caller says which option rejects it, if one does.
 */
export function withoutAPerson(
  { default: wished, options = [] }: Pick<AgentQuestion, 'default' | 'options'>,
  isPermission: boolean,
  rejection: string | null,
): Unattended {
  const begin = 'The run is in background mode and waits for nobody:'
  if (wished !== undefined && wished !== null)
    return { answer: wished, why: `${begin} its default was taken.` }
  if (isPermission) return { answer: rejection, why: `${begin} it was not allowed.` }
  const named = options.map((option) =>
    typeof option === 'string'
      ? { answer: option, name: option }
      : { answer: option.optionId, name: option.name },
  )
  for (const pattern of harmless) {
    const option = named.find(({ name }) => pattern.test(plainLine(name)))
    if (option) return { answer: option.answer, why: `${begin} the choice was taken that changes least.` }
  }
  return { answer: null, why: `${begin} the agent goes on without an answer.` }
}

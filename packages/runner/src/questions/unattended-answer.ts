import type { AgentQuestion } from '@farhand/protocol/methods/questions'
import { plainLine } from '@farhand/protocol/text/plain-text'

/** The answer to a question that no user is asked (null for none), and why, for users to read (W65). */
export type UnattendedAnswer = { answer: unknown; why: string }

// Whole names only: "No backup, overwrite" also begins with No. Options that postpone come first, then those that
// decline, then those that end the work.
const changesNothing = [
  /^(skip( (it|this))?( for now)?|(maybe )?later|not (now|yet)|none( of (these|them|the above))?|nothing|do nothing|neither)$/i,
  /^(no( thank(s| you))?|no changes?|don['’]?t|do not|(don['’]?t|do not) change anything|keep( it)?|leave it|(keep|leave)( it)? (alone|unchanged|as( it)? is)|decline|reject|deny|refuse)$/i,
  /^(cancel|stop|abort|quit|exit)$/i,
]
const politeness = /^(thanks|thank you|please)$/i

/**
 * How much an option does that clearly changes nothing, the least first; Infinity for any other. Every part of its
 * name has to say so.
 */
function doing(name: string): number {
  const parts = plainLine(name)
    .split(/[,;:.!()]+|\s[-–—]+\s/)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !politeness.test(part))
  const ranks = parts.map((part) => changesNothing.findIndex((pattern) => pattern.test(part)))
  return ranks.length === 0 || ranks.includes(-1) ? Infinity : Math.max(...ranks)
}

/**
 * The answer in background mode without a policy: the question's default, else the choice that changes least, else
 * none. A permission is never given this way: `rejection` is the option that rejects it, if there is one.
 */
export function unattendedAnswer(
  { default: wished, options = [] }: Pick<AgentQuestion, 'default' | 'options'>,
  isPermission: boolean,
  rejection: string | null,
): UnattendedAnswer {
  const begin = 'The run is in background mode and does not wait for an answer:'
  if (wished !== undefined && wished !== null)
    return { answer: wished, why: `${begin} its default was taken.` }
  if (isPermission) return { answer: rejection, why: `${begin} it was not allowed.` }
  const ranked = options
    .map((option) => (typeof option === 'string' ? { optionId: option, name: option } : option))
    .map(({ optionId, name }) => ({ answer: optionId, rank: doing(name) }))
    .filter(({ rank }) => rank < Infinity)
    .toSorted((one, other) => one.rank - other.rank)
  if (ranked[0]) return { answer: ranked[0].answer, why: `${begin} the choice was taken that changes least.` }
  return { answer: null, why: `${begin} the agent goes on without an answer.` }
}

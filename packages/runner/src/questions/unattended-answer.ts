import type { AgentQuestion } from '@farhand/protocol/methods/questions'
import { plainLine } from '@farhand/protocol/text/plain-text'

/** What a question is answered with where no person is waited for, and why, for people to read; null is no answer (W65). */
export type UnattendedAnswer = { answer: unknown; why: string }

// Whole names, since what follows a No may be anything: "No backup, overwrite". Those that put a decision off come before
// those that decide against something, and these before those that end the work.
const changesNothing = [
  /^(skip( (it|this))?( for now)?|(maybe )?later|not (now|yet)|none( of (these|them|the above))?|nothing|do nothing|neither)$/i,
  /^(no( thank(s| you))?|no changes?|don['’]?t|do not|(don['’]?t|do not) change anything|keep( it)?|leave it|(keep|leave)( it)? (alone|unchanged|as( it)? is)|decline|reject|deny|refuse)$/i,
  /^(cancel|stop|abort|quit|exit)$/i,
]
const politeness = /^(thanks|thank you|please)$/i

/** How much an option does that plainly changes nothing, the least first; Infinity for any other. Each part of its name has to say so. */
function doing(name: string): number {
  const parts = plainLine(name)
    .split(/[,;:.!()]+|\s[-–—]+\s/)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !politeness.test(part))
  const ranks = parts.map((part) => changesNothing.findIndex((pattern) => pattern.test(part)))
  return ranks.length === 0 || ranks.includes(-1) ? Infinity : Math.max(...ranks)
}

/**
 * The answer to a question in background mode without a policy: its default, else the choice that changes least, else none. A
 * permission is never given in this way: the caller says which option rejects it, if one does.
 */
export function unattendedAnswer(
  { default: wished, options = [] }: Pick<AgentQuestion, 'default' | 'options'>,
  isPermission: boolean,
  rejection: string | null,
): UnattendedAnswer {
  const begin = 'The run is in background mode and waits for nobody:'
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

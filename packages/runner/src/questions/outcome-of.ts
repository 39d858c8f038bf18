import type { CreateElicitationResponse, RequestPermissionResponse } from '@agentclientprotocol/sdk'
import { type Content, formContent } from '@farhand/protocol/forms/form-content'
import { mainField } from '@farhand/protocol/forms/form-fields'
import { yesOrNo } from '@farhand/protocol/forms/yes-or-no'
import { shortened } from '@farhand/protocol/text/plain-text'
import { isObject } from '@farhand/protocol/wire/is-object'
import { choicesOf, type ShownChoice } from './choices-of.ts'
import { chosen } from './match-choice.ts'
import { isAllow, isReject, type ReadAsk, readAsk } from './read-ask.ts'
import { refusal, submission, type Wrapped } from './wrapped-questions.ts'

/** The answer for the agent and the chosen option, or why the user's answer does not fit. */
export type Outcome =
  | { result: RequestPermissionResponse | CreateElicitationResponse; optionId: string | null }
  | { problem: string }

/**
 * Turns a user's answer into the answer for the agent. It may be text, an option's id, name or number, a boolean, a
 * filled-in form, null for no answer, or the result as ACP has it. An answer that fits nothing gives a `problem` for
 * the user; no option is ever guessed.
 */
export function outcomeOf(ask: { method: string; params: unknown }, answer: unknown): Outcome {
  const asked = readAsk(ask)
  if ('tool' in asked) return permissionOutcome(asked, answer)
  const outcome = elicitationOutcome(asked, answer)
  const wrapped = asked.asks === 'form' ? asked.wrapped : undefined
  return wrapped && 'result' in outcome
    ? { ...outcome, result: wrappedResult(wrapped, outcome.result) }
    : outcome
}

const wrappedResult = (wrapped: Wrapped, result: object): RequestPermissionResponse =>
  'content' in result ? submission(wrapped, result.content as Content) : refusal(wrapped)

/** The answer for an agent whose question will not be answered any more. */
export function withdrawal({
  method,
}: {
  method: string
}): RequestPermissionResponse | CreateElicitationResponse {
  return method === 'session/request_permission'
    ? { outcome: { outcome: 'cancelled' } }
    : { action: 'cancel' }
}

function permissionOutcome(asked: ReadAsk & { asks: 'permission' | 'choice' }, answer: unknown): Outcome {
  const said = isObject(answer) ? fromAcp(answer) : answer
  if (said === null) return { result: { outcome: { outcome: 'cancelled' } }, optionId: null }
  const choices = choicesOf(asked)
  const choice = chosen(choices, said) ?? plainYesOrNo(asked, choices, said)
  if (!choice || choice === 'several') return { problem: whichOnes(choices) }
  return {
    result: { outcome: { outcome: 'selected', optionId: choice.value } },
    optionId: choice.shown.optionId,
  }
}

function fromAcp(answer: Record<string, unknown>): unknown {
  const outcome = isObject(answer.outcome) ? answer.outcome : answer
  return outcome.outcome === 'cancelled' ? null : outcome.optionId
}

// "Yes" means the narrowest permission; if two options are equally narrow, it is not enough.
function plainYesOrNo(
  asked: ReadAsk & { asks: 'permission' | 'choice' },
  choices: readonly ShownChoice[],
  said: unknown,
): ShownChoice | null {
  const isYes = yesOrNo(said)
  if (isYes === null || asked.asks !== 'permission') return null
  const fitting = asked.choices.flatMap((choice, index) =>
    (isYes ? isAllow(choice) : isReject(choice)) ? [choices[index]!] : [],
  )
  const onces = fitting.filter(({ shown }) => shown.kind?.endsWith('_once'))
  const meant = onces.length > 0 ? onces : fitting
  return meant.length === 1 ? meant[0]! : null
}

function elicitationOutcome(asked: ReadAsk & { asks: 'form' | 'url' }, answer: unknown): Outcome {
  const fields = asked.asks === 'form' ? asked.fields : []
  const refuse = (action: 'decline' | 'cancel'): Outcome => ({ result: { action }, optionId: action })
  if (answer === null) return refuse('decline')
  let said = answer
  let isAccepted = false
  if (isObject(answer) && !fields.some(({ name }) => name === 'action')) {
    if (answer.action === 'decline' || answer.action === 'cancel') return refuse(answer.action)
    isAccepted = answer.action === 'accept'
    if (isAccepted) said = answer.content ?? {}
  }
  const choices = choicesOf(asked)
  const meant = chosen(choices, said)
  const choice = meant === 'several' ? null : meant
  if (fields.length === 0) {
    const isFilled = isAccepted || (asked.asks === 'form' && isObject(said))
    const isYes = isFilled || (choice ? choice.value === 'accept' : yesOrNo(said))
    if (isYes === null) return said === 'cancel' ? refuse('cancel') : { problem: whichOnes(choices) }
    if (!isYes) return refuse('decline')
    return { result: { action: 'accept', ...(asked.asks === 'form' && { content: {} }) }, optionId: 'accept' }
  }
  const filled = formContent(fields, choice ? choice.value : said)
  const isOpen = mainField(fields)?.kind === 'text'
  // Where free text is allowed, "cancel" is the text.
  if (!isOpen && (said === 'decline' || said === 'cancel') && !choice) return refuse(said)
  if ('problem' in filled) return filled
  return { result: { action: 'accept', content: filled.content }, optionId: choice?.shown.optionId ?? null }
}

const whichOnes = (choices: readonly ShownChoice[]) =>
  choices.length === 0
    ? 'This can only be dismissed: it has no options.'
    : `Answer with one of: ${shortened(
        choices.map(({ shown }, index) => `${index + 1}. ${shown.name}`).join(', '),
        3000,
      )}.`

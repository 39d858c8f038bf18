import { yesOrNo } from '@farhand/protocol/forms/yes-or-no'
import type { AgentQuestion } from '@farhand/protocol/methods/questions'
import { chosen } from '../questions/match-choice.ts'

/**
 * What an answer to a question about a limit means: go on (true), stop (false), or null for an answer that does not
 * fit.
 */
export function wantsToContinue(
  { options = [] }: Pick<AgentQuestion, 'options'>,
  answer: unknown,
): boolean | null {
  const choices = options.flatMap((option) => {
    if (typeof option === 'string') return []
    const { optionId, name } = option
    return [{ shown: { optionId, name }, value: optionId }]
  })
  const choice = chosen(choices, answer)
  if (choice === 'several') return null
  return choice ? choice.value === 'continue' : yesOrNo(answer)
}

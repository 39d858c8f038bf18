import type { Notification } from '@farhand/protocol/wire/event'

type Option = string | { optionId: string }

/** What a person says to a question of an agent: always the same to the same one. Null if nothing is asked. */
export function answerTo({
  method,
  params = {},
}: Notification): { questionId: string; answer: string } | null {
  if (method !== '_posthog/agent_question') return null
  const questionId = String(params.questionId)
  const options = (params.options ?? []) as readonly Option[]
  const names = options.map((option) => (typeof option === 'string' ? option : option.optionId))
  const choices = names.filter((name) => !name.endsWith('-always'))
  const sum = [...questionId].reduce((sum, letter) => sum + letter.charCodeAt(0), 0)
  return { questionId, answer: choices[sum % choices.length] ?? 'something' }
}

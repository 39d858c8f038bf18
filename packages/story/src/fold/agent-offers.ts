import { plainText } from '@farhand/protocol/text/plain-text'
import type { AgentSide, Choice, ConfigOption } from '../items/story.ts'
import { asList, asObject, asPlain, asText } from '../values/untyped-values.ts'

const choiceOf = (id: unknown, one: Record<string, unknown>): Choice[] =>
  typeof id === 'string' && id !== ''
    ? [{ id, name: asPlain(one.name) || plainText(id), description: asPlain(one.description) }]
    : []

/** The modes of an agent and the current one, as an ACP session reports them. */
export function modesOf(said: unknown): Pick<AgentSide, 'modes' | 'mode'> {
  const { availableModes, currentModeId } = asObject(said)
  const modes = asList(availableModes).flatMap((one) => choiceOf(asObject(one).id, asObject(one)))
  return { modes, mode: asText(currentModeId) }
}

/** Choices may be grouped. */
const choicesOf = (options: unknown): Choice[] =>
  asList(options).flatMap((one) => {
    const said = asObject(one)
    return Array.isArray(said.options) ? choicesOf(said.options) : choiceOf(said.value, said)
  })

/** The options that have choices. Other kinds of options cannot be shown here. */
export const configOptions = (said: unknown): ConfigOption[] =>
  asList(said).flatMap((one) => {
    const { id, name, currentValue, options } = asObject(one)
    const choices = choicesOf(options)
    if (typeof id !== 'string' || typeof currentValue !== 'string' || choices.length === 0) return []
    return [{ id, name: asPlain(name) || plainText(id), value: currentValue, choices }]
  })

/** Whether the agent accepts messages during a turn; null if it has not reported its capabilities. */
export function steeringOf(said: unknown): boolean | null {
  if (said === undefined) return null
  return asObject(asObject(asObject(said)._meta).steering).supported === true
}

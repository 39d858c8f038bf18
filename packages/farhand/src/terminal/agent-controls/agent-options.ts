import { z } from 'zod'
import { firstLine } from '../printing/shown-text.ts'

/** A setting that the agent offers, such as its model. */
export type AgentOption = {
  readonly id: string
  readonly name: string
  readonly value: OptionValue
  readonly choices: readonly OptionChoice[]
  readonly isModel: boolean
}
export type OptionValue = string | boolean
export type OptionChoice = { readonly value: OptionValue; readonly name: string }

const Said = z.looseObject({
  id: z.string().min(1),
  name: z.string().nullish().catch(null),
  category: z.string().nullish().catch(null),
  currentValue: z.union([z.string(), z.boolean()]),
  options: z.array(z.unknown()).nullish().catch(null),
})
const Choice = z.looseObject({ value: z.string(), name: z.string().nullish().catch(null) })
const Group = z.looseObject({ options: z.array(z.unknown()) })

/** The options in an agent's report; null if it has no list of options. */
export function parseOptions(said: unknown): AgentOption[] | null {
  if (!Array.isArray(said)) return null
  return said.flatMap((one) => {
    const option = Said.safeParse(one).data
    if (!option) return []
    const { id, name, category, currentValue: value, options } = option
    const choices = typeof value === 'boolean' ? onOrOff : (options ?? []).flatMap(choicesOf)
    if (choices.length === 0) return []
    const isModel = category === 'model' || (category == null && /^models?$/i.test(id))
    return [{ id, name: firstLine(name || id, 60), value, choices, isModel }]
  })
}

const onOrOff: readonly OptionChoice[] = [
  { value: true, name: 'on' },
  { value: false, name: 'off' },
]

/** Agents may put choices into groups. */
function choicesOf(one: unknown): OptionChoice[] {
  const group = Group.safeParse(one).data
  if (group) return group.options.flatMap(choicesOf)
  const choice = Choice.safeParse(one).data
  return choice ? [{ value: choice.value, name: firstLine(choice.name || choice.value, 60) }] : []
}

/** Finds an entry by its name or an unambiguous part of it; null if there is none, or more than one. */
export function findByName<Of>(
  among: readonly Of[],
  said: string,
  namesOf: (one: Of) => readonly string[],
): Of | null {
  const word = said.trim().toLowerCase()
  const lower = (one: Of) => namesOf(one).map((name) => name.toLowerCase())
  const same = among.find((one) => lower(one).includes(word))
  if (same !== undefined || word === '') return same ?? null
  for (const fits of [(name: string) => name.startsWith(word), (name: string) => name.includes(word)]) {
    const found = among.filter((one) => lower(one).some(fits))
    if (found.length > 0) return found.length === 1 ? found[0]! : null
  }
  return null
}

const namesOf = ({ value, name }: OptionChoice) => [String(value), name]

/** The option and choice that the user typed after /model or /set; or why there is none, as text. */
export type OptionArgument = { option: AgentOption; choice: OptionChoice } | { why: string }

export function parseModelArgument(options: readonly AgentOption[], said: string): OptionArgument {
  const model = options.find(({ isModel }) => isModel)
  if (model) return choiceMeant(model, said)
  const others = options.length === 0 ? '' : ` What it does offer: ${namesIn(options)}; /set lists them.`
  return { why: `The agent offers no choice of models.${others}` }
}

export function parseOptionArgument(options: readonly AgentOption[], said: string): OptionArgument {
  if (options.length === 0) return { why: 'The agent has no settings.' }
  const [word = '', ...rest] = said.trim().split(/\s+/)
  if (word === '') return { why: options.map((one) => optionInWords(one)).join('\n') }
  const option = findByName(options, word, ({ id, name }) => [id, name])
  if (!option)
    return { why: `The agent has no ${firstLine(word, 40)} to set. There are: ${namesIn(options)}.` }
  return choiceMeant(option, rest.join(' '))
}

function choiceMeant(option: AgentOption, said: string): OptionArgument {
  if (said.trim() === '') return { why: optionInWords(option) }
  const choice = findByName(option.choices, said, namesOf)
  if (!choice) return { why: `Not one of them: ${firstLine(said, 40)}. ${optionInWords(option)}` }
  return choice.value === option.value
    ? { why: `${option.name} is ${choice.name} already.` }
    : { option, choice }
}

const namesIn = (options: readonly AgentOption[]) => options.map(({ id }) => firstLine(id, 40)).join(', ')

export const optionInWords = ({ name, value, choices }: AgentOption): string =>
  `${name}: ${choices.map((one) => `${one.name}${one.value === value ? ' (now)' : ''}`).join(', ')}`

/** The changed options, one line each. */
export function optionChanges(before: readonly AgentOption[], after: readonly AgentOption[]): string[] {
  return after.flatMap((option) => {
    const old = before.find(({ id }) => id === option.id)
    if (!old || old.value === option.value) return []
    const chosen = option.choices.find(({ value }) => value === option.value)
    return [`${option.name} is now ${chosen?.name ?? firstLine(String(option.value), 60)}.`]
  })
}

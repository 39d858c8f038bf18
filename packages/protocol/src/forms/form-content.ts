import { plainLine, shortened } from '../text/plain-text.ts'
import { isObject } from '../wire/is-object.ts'
import { type Field, type FieldChoice, mainField } from './form-fields.ts'
import { yesOrNo } from './yes-or-no.ts'

export type Content = Record<string, string | number | boolean | string[]>
export type Filled = { content: Content } | { problem: string }

/** The content of a form from a user's answer: all of its fields, or plain text where one field is meant by it. */
export function formContent(fields: readonly Field[], answer: unknown): Filled {
  if (isObject(answer)) return filledIn(fields, answer)
  const field = mainField(fields)
  if (!field) return { problem: `This needs an answer for each of: ${allNames(fields)}.` }
  const value = read(field, answer)
  if (!('problem' in value)) return filledIn(fields, { [field.name]: value.value })
  const others = fields.filter((one) => one !== field && one.kind === 'text')
  // Agents add a text field beside the choices, for an answer in the user's own words.
  if (others.length === 1 && !field.isRequired && typeof answer === 'string' && answer.trim() !== '')
    return filledIn(fields, { [others[0]!.name]: answer })
  return value
}

const namedAs = ({ name, title }: Field) => shortened(title === name ? name : `${title} (${name})`, 200)

const allNames = (fields: readonly Field[]) => shortened(fields.map(namedAs).join(', '), 2000)

function filledIn(fields: readonly Field[], answer: Record<string, unknown>): Filled {
  const content: [string, Content[string]][] = []
  const unknown = Object.keys(answer).find((name) => !fields.some((field) => field.name === name))
  if (unknown !== undefined) {
    const names = allNames(fields)
    return { problem: `There is no field "${plainLine(unknown).slice(0, 100)}"; the fields are: ${names}.` }
  }
  for (const field of fields) {
    const given = Object.hasOwn(answer, field.name) ? answer[field.name] : undefined
    const said =
      given === undefined || given === null ? (field.isRequired ? field.default : undefined) : given
    if (said === undefined) {
      if (field.isRequired) return { problem: `${namedAs(field)} is missing.` }
      continue
    }
    const value = read(field, said)
    if ('problem' in value) return value
    content.push([field.name, value.value])
  }
  return { content: Object.fromEntries(content) }
}

type Value = { value: Content[string] } | { problem: string }

function read(field: Field, said: unknown): Value {
  const wrong = (expected: string): Value => ({ problem: `${namedAs(field)} must be ${expected}.` })
  switch (field.kind) {
    case 'text': {
      if (typeof said !== 'string') return wrong('text')
      const { minLength, maxLength } = field
      if (said.length < minLength) return wrong(`at least ${minLength} characters long`)
      return said.length > maxLength ? wrong(`at most ${maxLength} characters long`) : { value: said }
    }
    case 'yes-no': {
      const value = yesOrNo(said)
      return value === null ? wrong('yes or no') : { value }
    }
    case 'number': {
      const value = typeof said === 'string' && said.trim() !== '' ? Number(said) : said
      if (typeof value !== 'number' || !Number.isFinite(value)) return wrong('a number')
      if (field.isWhole && !Number.isInteger(value)) return wrong('a whole number')
      if (value < field.minimum) return wrong(`at least ${field.minimum}`)
      return value > field.maximum ? wrong(`at most ${field.maximum}`) : { value }
    }
    case 'choice': {
      const one = oneOf(field.choices, said)
      return one ? { value: one.value } : wrong(`one of: ${titles(field.choices)}`)
    }
    case 'many':
      return several(field, said) ?? wrong(`some of: ${titles(field.choices)}`)
    case 'other':
      return isValue(said) ? { value: said } : wrong('text, a number, yes or no, or a list of texts')
  }
}

function several(field: Field & { kind: 'many' }, said: unknown): Value | null {
  // A title may have a comma in it: the whole is tried first.
  const whole = oneOf(field.choices, said)
  const list = Array.isArray(said) ? said : typeof said === 'string' ? said.split(/[,\n]/) : null
  const found = whole ? [whole] : list?.filter((one) => one !== '').map((one) => oneOf(field.choices, one))
  if (!found?.every((one) => one !== null)) return null
  const value = [...new Set(found.map((one) => one.value))]
  const { minItems, maxItems } = field
  if (value.length < minItems) return { problem: `${namedAs(field)} needs at least ${minItems} of them.` }
  if (value.length > maxItems) return { problem: `${namedAs(field)} may have at most ${maxItems} of them.` }
  return { value }
}

function oneOf(choices: readonly FieldChoice[], said: unknown): FieldChoice | null {
  if (typeof said !== 'string') return null
  const exact = choices.find(({ value }) => value === said)
  if (exact) return exact
  const line = plainLine(said).toLowerCase()
  const meant = choices.filter(
    ({ value, title }) => title.toLowerCase() === line || value.toLowerCase() === line,
  )
  return meant.length === 1 ? meant[0]! : null
}

const titles = (choices: readonly FieldChoice[]) =>
  shortened(choices.map(({ title }) => title).join(', '), 2000)

const isValue = (said: unknown): said is Content[string] =>
  ['string', 'number', 'boolean'].includes(typeof said) ||
  (Array.isArray(said) && said.every((one) => typeof one === 'string'))

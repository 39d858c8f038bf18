import { z } from 'zod'
import { plainLine } from '../text/plain-text.ts'

export type FieldChoice = { value: string; title: string; description: string | null }

type FieldKind =
  | { kind: 'text'; minLength: number; maxLength: number }
  | { kind: 'choice'; choices: readonly FieldChoice[] }
  | { kind: 'many'; choices: readonly FieldChoice[]; minItems: number; maxItems: number }
  | { kind: 'yes-no' }
  | { kind: 'number'; isWhole: boolean; minimum: number; maximum: number }
  /** Of a type that is not known here: it can only be answered with the whole form. */
  | { kind: 'other' }

/** One thing that a form asks for. */
export type Field = FieldKind & {
  name: string
  title: string
  description: string | null
  isRequired: boolean
  default: unknown
}

const text = z.string().optional().catch(undefined)
const count = z.number().optional().catch(undefined)
const options = z
  .array(z.unknown())
  .optional()
  .catch(undefined)
  .transform((all) => all?.flatMap((one) => Option.safeParse(one).data ?? []))
const Option = z.union([
  z.string().transform((value) => ({ value, title: plainLine(value), description: null })),
  z.object({ const: z.string(), title: text, description: text }).transform((one) => ({
    value: one.const,
    title: plainLine(one.title ?? '') || plainLine(one.const),
    description: one.description === undefined ? null : plainLine(one.description),
  })),
])
const Items = z.object({ enum: options, anyOf: options, oneOf: options }).optional().catch(undefined)

const Property = z.object({
  type: text,
  title: text,
  description: text,
  default: z.unknown().optional(),
  enum: options,
  oneOf: options,
  anyOf: options,
  items: Items,
  minLength: count,
  maxLength: count,
  minimum: count,
  maximum: count,
  minItems: count,
  maxItems: count,
})
const Schema = z.object({
  properties: z.record(z.string(), z.unknown()).catch({}),
  required: z.array(z.unknown()).catch([]),
})

/** The fields of an elicitation's schema, in its order; none if it is no schema. */
export function fieldsOf(schema: unknown): Field[] {
  const read = Schema.safeParse(schema)
  if (!read.success) return []
  const { properties, required } = read.data
  return Object.entries(properties).map(([name, property]): Field => {
    const said = Property.catch(Property.parse({})).parse(property)
    return {
      name,
      title: plainLine(said.title ?? '') || plainLine(name),
      description: said.description === undefined ? null : plainLine(said.description),
      isRequired: required.includes(name),
      default: said.default ?? undefined,
      ...kindOf(said),
    }
  })
}

function kindOf(said: z.infer<typeof Property>): FieldKind {
  const { minimum = -Infinity, maximum = Infinity, minItems = 0, maxItems = Infinity } = said
  const choices = said.oneOf ?? said.anyOf ?? said.enum
  switch (said.type) {
    case 'boolean':
      return { kind: 'yes-no' }
    case 'number':
    case 'integer':
      return { kind: 'number', isWhole: said.type === 'integer', minimum, maximum }
    case 'array': {
      const several = said.items?.anyOf ?? said.items?.oneOf ?? said.items?.enum
      return several ? { kind: 'many', choices: several, minItems, maxItems } : { kind: 'other' }
    }
    case 'string':
      if (choices && choices.length > 0) return { kind: 'choice', choices }
      return { kind: 'text', minLength: said.minLength ?? 0, maxLength: said.maxLength ?? Infinity }
    default:
      return choices && choices.length > 0 ? { kind: 'choice', choices } : { kind: 'other' }
  }
}

/**
 * The field that an answer in plain text is for: the only field, or the only required one, or the only one with choices if
 * none is required. Null if only a filled-in form can answer.
 */
export function mainField(fields: readonly Field[]): Field | null {
  if (fields.length === 1) return fields[0]!
  const required = fields.filter(({ isRequired }) => isRequired)
  if (required.length > 0) return required.length === 1 ? required[0]! : null
  const chosen = fields.filter(({ kind }) => kind !== 'text' && kind !== 'other')
  return chosen.length === 1 ? chosen[0]! : null
}

/** The field of a form that asks one question, perhaps with a second field for the user's own words; null for other forms. */
export function onlyQuestion(fields: readonly Field[]): Field | null {
  const main = mainField(fields)
  if (!main || fields.length === 1) return main
  const others = fields.filter((field) => field !== main)
  const hasChoices = main.kind === 'choice' || main.kind === 'many'
  // A required choice cannot be answered in the user's own words.
  return hasChoices && !main.isRequired && others.length === 1 && others[0]!.kind === 'text' ? main : null
}

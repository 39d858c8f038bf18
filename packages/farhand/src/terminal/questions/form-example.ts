import { fieldsOf, onlyQuestion } from '@farhand/protocol/forms/form-fields'
import { z } from 'zod'
import { shownText } from '../printing/shown-text.ts'

const text = z.string().optional().catch(undefined)
const list = z.array(z.unknown()).optional().catch(undefined)
const Field = z.looseObject({ type: text, default: z.unknown().optional(), enum: list, oneOf: list })
const Form = z.looseObject({ properties: z.record(z.string(), Field.catch({})) })
const Choice = z.looseObject({ const: z.unknown() })

const mostFields = 20

/** An example of a filled form, as JSON; null if the form has at most one question: then the bare answer is enough. */
export function formExample(form: unknown): string | null {
  const fields = Object.entries(Form.safeParse(form).data?.properties ?? {})
  if (fields.length < 2 || onlyQuestion(fieldsOf(form))) return null
  const filled = fields.slice(0, mostFields).map(([name, field]) => [name, exampleOf(field)])
  return shownText(JSON.stringify(Object.fromEntries(filled)))
}

function exampleOf({ type, default: preset, enum: choices, oneOf }: z.infer<typeof Field>): unknown {
  if (preset !== undefined && preset !== null) return preset
  const [choice] = choices ?? []
  if (choice !== undefined) return choice
  const constant = Choice.safeParse(oneOf?.[0]).data?.const
  if (constant !== undefined) return constant
  if (type === 'boolean') return true
  if (type === 'number' || type === 'integer') return 1
  return type === 'array' ? [] : '...'
}

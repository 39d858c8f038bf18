import type { JsonSchema } from './conversation.ts'

/** A value of the form that a JSON schema asks for: small, and the same every time. `known` fills fields by name. */
export function instanceOf(schema: JsonSchema, known: Readonly<Record<string, unknown>> = {}): unknown {
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (Array.isArray(choices) && choices[0]) return instanceOf(choices[0], known)
  switch (typeOf(schema)) {
    case 'object':
      return objectOf(schema, known)
    case 'array':
      return schema.minItems && isSchema(schema.items) ? [instanceOf(schema.items, known)] : []
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 0
    case 'null':
      return null
    default:
      return 'as scripted'
  }
}

/** Fields that are known by name, and of the others those that must not be missing. */
function objectOf(schema: JsonSchema, known: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const required = Array.isArray(schema.required) ? schema.required : []
  const filled: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fieldsOf(schema))) {
    if (name in known) filled[name] = fitted(known[name], field)
    else if (required.includes(name)) filled[name] = instanceOf(field)
  }
  return filled
}

/** A known value in the form of its field: what a tool does not know is left out, a single value becomes a list. */
function fitted(value: unknown, field: JsonSchema): unknown {
  if (typeOf(field) !== 'array') {
    if (!isSchema(value)) return value
    return Object.keys(fieldsOf(field)).length > 0 ? objectOf(field, value) : value
  }
  const items = Array.isArray(value) ? value : [value]
  const form = field.items
  return isSchema(form) ? items.map((item) => fitted(item, form)) : items
}

export const fieldsOf = (schema: JsonSchema): Record<string, JsonSchema> =>
  isSchema(schema.properties) ? (schema.properties as Record<string, JsonSchema>) : {}

/** Gemini writes its types in capitals. */
export const typeOf = (schema: JsonSchema): string => {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  return typeof type === 'string' ? type.toLowerCase() : 'properties' in schema ? 'object' : ''
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

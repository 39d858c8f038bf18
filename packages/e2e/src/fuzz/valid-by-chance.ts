import fc from 'fast-check'
import { z } from 'zod'

type JsonSchema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

/** Values that a schema of the protocol takes, or nearly: what it checks with code of its own may still refuse them. */
export function validByChance(schema: z.ZodType): fc.Arbitrary<unknown> {
  return arbitraryOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema)
}

function arbitraryOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const options = schema.anyOf ?? schema.oneOf
  if (options) return fc.oneof(...options.map(arbitraryOf))
  if (schema.allOf)
    return fc.tuple(...schema.allOf.map(arbitraryOf)).map((parts) => Object.assign({}, ...parts))
  switch (schema.type) {
    case 'object':
      return objectOf(schema)
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 3 })
    case 'string':
      return stringOf(schema)
    case 'integer':
      // Small, so that ids meet events that are there.
      return fc.integer({ min: Math.max(schema.minimum ?? 0, -10), max: Math.min(schema.maximum ?? 40, 40) })
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function objectOf({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<unknown> {
  const known = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, arbitraryOf(schema)]),
  )
  const own = fc.record(known, { requiredKeys: required, noNullPrototype: true })
  const other = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 2,
    noNullPrototype: true,
  })
  return fc.oneof(
    own,
    fc.tuple(other, own).map(([more, these]) => ({ ...more, ...these })),
  )
}

const places = [
  'a',
  'a/b',
  'src/index.ts',
  'ä/😀.txt',
  'a/b/c/d',
  '../a',
  '.git/config',
  'A',
  'a\0',
  'con',
  '',
]
const few = (prefix: string) => [1, 2, 3].map((n) => `${prefix}_0000000${n}`)

function stringOf({ pattern, format, minLength = 0, maxLength = 50 }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.constant('2026-01-01T00:00:00.000Z')
  if (format === 'uri') return fc.constantFrom('https://example.org/hook', 'http://127.0.0.1/x')
  const prefix = /^\^([a-z]+)_\[/.exec(pattern ?? '')?.[1]
  // Few of them, so that answers meet questions.
  if (prefix && prefix !== 'sha') return fc.constantFrom(...few(prefix))
  if (pattern) return fc.stringMatching(new RegExp(pattern))
  const text = fc.string({ minLength, maxLength: Math.min(maxLength, 50), unit: 'binary' })
  return fc.oneof(text, fc.constantFrom(...places.filter((place) => place.length >= minLength)))
}

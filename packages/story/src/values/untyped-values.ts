import { plainText } from '@farhand/protocol/text/plain-text'

// Agents may leave out fields or send other types: a value of the wrong type counts as missing.

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object, or an empty one. */
export const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Text that the user decides by: direction controls and invisible characters are made visible. */
export const asPlain = (value: unknown): string | null =>
  typeof value === 'string' ? plainText(value) : null

export const asNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

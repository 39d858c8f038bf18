import { plainText } from '@farhand/protocol/text/plain-text'

// Agents leave out what they should say, and say other things in its place: what is not as it should be is not there.

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object to look into, empty if there is none. */
export const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Text that people decide by: what would turn its letters around, or hide some, is shown as being there. */
export const asPlain = (value: unknown): string | null =>
  typeof value === 'string' ? plainText(value) : null

export const asNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

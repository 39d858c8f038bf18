import { z } from 'zod'

/** What a setting accepts, if this value is wrong; null if it is right. The errors of zod are for programmers. */
export function settingProblem(field: z.ZodType, value: unknown): string | null {
  const inner = unwrapped(field)
  // Coercion accepts "0x1F", "1e3" and "" as numbers: these are mistakes of the user.
  const isWhole = inner instanceof z.ZodNumber && inner.format === 'safeint'
  const isNoNumber =
    inner instanceof z.ZodNumber &&
    typeof value === 'string' &&
    !(isWhole ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/).test(value)
  if (!isNoNumber && field.safeParse(value).success) return null
  if (value === '') return 'must not be empty'
  if (inner instanceof z.ZodNumber) return `takes a ${isWhole ? 'whole ' : ''}number ${range(inner, field)}`
  if (inner instanceof z.ZodEnum) return `takes one of ${inner.options.join(', ')}`
  if (inner instanceof z.ZodBoolean) return 'takes yes or no'
  if (inner instanceof z.ZodURL) return 'takes an address such as https://hub.example.org'
  return 'must not be empty'
}

function unwrapped(field: z.ZodType): z.ZodType {
  const { innerType } = field.def as { innerType?: z.ZodType }
  return innerType ? unwrapped(innerType) : field
}

function range({ minValue, maxValue }: z.ZodNumber, field: z.ZodType): string {
  const least = field.safeParse(minValue).success ? minValue : (minValue ?? 0) + 1
  const most = maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? null : maxValue
  return most === null ? `from ${least} up` : `from ${least} to ${most}`
}

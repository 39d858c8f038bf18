import type { z } from 'zod'

/** Whether a JSON value takes at most about this many characters; stops counting as soon as it takes more. */
export function isWithin(value: unknown, characters: number): boolean {
  let room = characters
  const rest = [value]
  while (rest.length > 0) {
    const one = rest.pop()
    room -= typeof one === 'string' ? one.length + 2 : 4
    if (typeof one === 'object' && one !== null) {
      for (const key in one) {
        room -= Array.isArray(one) ? 1 : key.length + 4
        if (room < 0) return false
        rest.push(one[key as keyof typeof one])
      }
    }
    if (room < 0) return false
  }
  return true
}

/** The same schema for values that are not longer than this when written as JSON. */
export function within<Schema extends z.ZodType>(schema: Schema, characters: number): Schema {
  return schema.refine((value) => isWithin(value, characters), {
    message: `expected at most ${characters} characters of JSON; put more into a blob`,
  })
}

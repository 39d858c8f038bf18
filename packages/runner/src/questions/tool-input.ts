import { isObject } from '@farhand/protocol/wire/is-object'

type Fields = Readonly<Record<string, unknown>>

/**
 * The input of a tool, as far as the agent reports it. Some agents put it as JSON text into the tool's content
 * instead of `rawInput`.
 */
export function toolInput(rawInput: unknown, content: unknown): Fields {
  if (isObject(rawInput) && Object.keys(rawInput).length > 0) return rawInput
  for (const one of Array.isArray(content) ? content : []) {
    const { text } = isObject(one) && isObject(one.content) ? one.content : {}
    if (typeof text !== 'string' || !text.startsWith('{')) continue
    try {
      const read: unknown = JSON.parse(text)
      if (isObject(read)) return read
    } catch {
      // Not JSON, only text that begins with a brace.
    }
  }
  return {}
}

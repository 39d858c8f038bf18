type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The input of a tool, as far as the agent reports it. Some agents put it as JSON text into the tool's content
 * instead of `rawInput`.
 */
export function toolInput(rawInput: unknown, content: unknown): Fields {
  if (isFields(rawInput) && Object.keys(rawInput).length > 0) return rawInput
  for (const one of Array.isArray(content) ? content : []) {
    const { text } = isFields(one) && isFields(one.content) ? one.content : {}
    if (typeof text !== 'string' || !text.startsWith('{')) continue
    try {
      const read: unknown = JSON.parse(text)
      if (isFields(read)) return read
    } catch {
      // Not JSON, only text that begins with a brace.
    }
  }
  return {}
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * What a tool is given, as far as an agent says it. Some agents write it as text among what the tool shows, and nothing
 * where it belongs.
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
      // Words that happen to begin like that.
    }
  }
  return {}
}

import { z } from 'zod'

export const JsonObject = z.record(z.string(), z.unknown())

/** The words in a content of any dialect: a text, or a list of parts of which some have one. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(plainText).join('')
  if (typeof content !== 'object' || content === null) return ''
  if ('text' in content) return plainText(content.text)
  return 'output' in content ? plainText(content.output) : JSON.stringify(content)
}

import type { ModelMessage } from 'ai'

// Rather too low: code has more tokens per character than prose.
const charsPerToken = 3
const longestKept = 400
/** The newest messages are never shortened: the work at hand needs them. */
const alwaysWhole = 4

/** An estimate of the messages' tokens. */
export function tokensOf(messages: readonly ModelMessage[]): number {
  return Math.ceil(messages.reduce((sum, message) => sum + charsOf(message.content), 0) / charsPerToken)
}

/**
 * Up to which message the conversation must be shortened to fit. It shortens a lot at once: each change invalidates
 * the provider's cache.
 */
export function shortenBefore(
  messages: readonly ModelMessage[],
  before: number,
  windowTokens: number,
): number {
  if (tokensOf(shortened(messages, before)) <= windowTokens * 0.75) return before
  const last = Math.max(before, messages.length - alwaysWhole)
  for (let at = before + 1; at <= last; at += 1)
    if (tokensOf(shortened(messages, at)) <= windowTokens * 0.5) return at
  return last
}

/** The messages as they are sent: before the given one, tool results and inputs are cut. */
export function shortened(messages: readonly ModelMessage[], before: number): ModelMessage[] {
  return messages.map((message, at) => (at < before ? short(message) : message))
}

function short(message: ModelMessage): ModelMessage {
  if (message.role === 'tool') {
    const content = message.content.map((part) => {
      if (part.type !== 'tool-result') return part
      const { output } = part
      if (output.type !== 'text' && output.type !== 'error-text') return part
      return { ...part, output: { ...output, value: cut(output.value) } }
    })
    return { ...message, content }
  }
  if (message.role !== 'assistant' || typeof message.content === 'string') return message
  const content = message.content.map((part) =>
    part.type === 'tool-call' ? { ...part, input: shortInput(part.input) } : part,
  )
  return { ...message, content }
}

function shortInput(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value]),
  )
}

function cut(text: string): string {
  if (text.length <= longestKept + 100) return text
  return `${text.slice(0, longestKept)}\n[${text.length - longestKept} more characters were here; look again if you need them]`
}

function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 4
  // An image of any size costs about the same number of tokens.
  if ((value as { type?: unknown }).type === 'image') return 1_500 * charsPerToken
  return Object.entries(value).reduce((sum, [name, inner]) => sum + name.length + charsOf(inner), 0)
}

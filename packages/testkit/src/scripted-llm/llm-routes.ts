import { anthropic } from './anthropic.ts'
import { type Dialect, tokens } from './dialect.ts'
import { gemini } from './gemini.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'

const model = 'scripted'

/** The dialect of a POST to this path, or null. Agents put different prefixes before it. */
export function dialectFor(path: string): Dialect | null {
  if (path.endsWith('/chat/completions')) return openaiChat
  if (path.endsWith('/responses')) return openaiResponses
  if (path.endsWith('/messages')) return anthropic
  return /:(stream)?generateContent$/i.test(path) ? gemini : null
}

/** Whether the answer is wanted piece by piece. */
export const isStream = (path: string, body: unknown): boolean =>
  /:streamGenerateContent$/i.test(path) ||
  (typeof body === 'object' && body !== null && 'stream' in body && body.stream === true)

/** The answer to other requests that agents send before and between turns, or null for unknown ones. */
export function lookup(path: string): object | null {
  if (path.endsWith('/count_tokens')) return { input_tokens: tokens.in }
  if (path.endsWith(':countTokens')) return { totalTokens: tokens.in }
  if (/\/models$/.test(path))
    return { object: 'list', data: [modelEntry(model)], models: [], has_more: false }
  const [, name] = /\/models\/([^/:]+)$/.exec(path) ?? []
  if (name !== undefined) return modelEntry(name)
  return path === '/' ? {} : null
}

const modelEntry = (id: string) => ({
  id,
  object: 'model',
  type: 'model',
  name: `models/${id}`,
  display_name: id,
  created: 1,
  owned_by: 'a script',
  inputTokenLimit: 100_000,
  outputTokenLimit: 10_000,
})

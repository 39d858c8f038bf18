import { bothEnds, plainText } from '@farhand/protocol/text/plain-text'

/** A sentence for users, and the agent's whole error if it says more. */
export type ErrorInWords = { message: string; raw?: string }

const mostOfSentence = 2_000
const mostOfRaw = 8_000
/** Fields in which model errors carry their message, most telling first. */
const keys = ['error', 'message', 'detail', 'details', 'reason', 'msg', 'data', 'cause', 'errors'] as const
const mostDepth = 12

type Found = { text: string; status: number | null }

/**
 * An agent's error as one sentence. Models answer with JSON, which agents wrap into more JSON and text: users see the
 * innermost message with its HTTP status, and `raw` has the whole.
 */
export function errorInWords(message: string, data?: unknown): ErrorInWords {
  const said = plainText(message).trim()
  const details = isVague(said) ? innermost(data, null, 0) : null
  const found = innermost(said, null, 0) ?? { text: said, status: null }
  const { text, status } = details ?? found
  const sentence = bothEnds(text.trim() || said || 'The agent gave no reason.', mostOfSentence)
  if (!details && sentence === said) return { message: said }
  const shown =
    status === null || sentence.includes(String(status)) ? sentence : `${sentence} (status ${status})`
  const raw = details ? `${said} ${asText(data)}` : said
  return { message: shown, raw: bothEnds(raw, mostOfRaw) }
}

/** Messages that say nothing; the details are elsewhere. */
const isVague = (said: string) =>
  /^(internal error|unknown error|error|an error occurred)?[.:!]*$/i.test(said)

function innermost(value: unknown, status: number | null, depth: number): Found | null {
  if (depth > mostDepth) return null
  if (typeof value === 'string') return ofText(value, status, depth)
  if (Array.isArray(value)) return value.length > 0 ? innermost(value[0], status, depth + 1) : null
  if (typeof value !== 'object' || value === null) return null
  const fields = value as Record<string, unknown>
  const own = statusOf(fields) ?? status
  for (const key of keys) {
    const found = innermost(fields[key], own, depth + 1)
    if (found) return found
  }
  return null
}

function ofText(text: string, status: number | null, depth: number): Found | null {
  const begin = text.search(/[[{]/)
  if (begin !== -1) {
    const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
    const json = parsed(text.slice(begin, end + 1))
    const inner =
      json === undefined ? null : innermost(json, status ?? statusIn(text.slice(0, begin)), depth + 1)
    if (inner) return inner
  }
  const said = plainText(text).trim()
  return said === '' ? null : { text: said, status }
}

function statusOf({ status, statusCode, code, status_code: snake }: Record<string, unknown>): number | null {
  const one = [status, statusCode, snake, code].map(Number).find((number) => number >= 400 && number < 600)
  return one ?? null
}

const statusIn = (text: string) => Number(/\b([45]\d\d)\b/.exec(text)?.[1]) || null

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : undefined
  } catch {
    // Not JSON, only text with a bracket in it.
    return undefined
  }
}

function asText(data: unknown): string {
  try {
    return plainText(typeof data === 'string' ? data : (JSON.stringify(data) ?? ''))
  } catch {
    // It cannot be written as JSON.
    return ''
  }
}

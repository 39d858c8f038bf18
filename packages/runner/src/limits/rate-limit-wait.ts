import type { Limits } from './budget.ts'

const second = 1000
const defaultMostSeconds = 600
const firstWaitMs = 5 * second
/** No provider asks for a longer wait; a larger number is not a time. */
const longestMs = 31 * 24 * 3600 * second

/**
 * How long to wait after a rate limit of a provider; `ask` if that is longer than the user allows in a turn, or
 * waiting does not help. Null: the error is about something else.
 */
export function rateLimitWait(
  error: unknown,
  alreadyWaitedMs: number,
  limits: Limits,
  nowMs: number,
): { waitMs: number } | 'ask' | null {
  const text = textOf(error)
  if (!isRateLimit(text, error)) return null
  const told = toldWaitMs(text, nowMs)
  // Some providers mention billing in every rate limit; one that also names a time means a rate limit.
  const isHopeless = /insufficient[_ ]quota|billing|credit balance|payment required/i.test(text)
  if (isHopeless && told === null) return 'ask'
  const { rateLimitSeconds: allowed = defaultMostSeconds } = limits
  const mostMs = allowed === null ? Infinity : allowed * second
  // Without a given time, each wait is twice as long; never zero, or the retries would not end.
  const waitMs = Math.max(second, told ?? Math.max(firstWaitMs, alreadyWaitedMs))
  return alreadyWaitedMs + waitMs > mostMs ? 'ask' : { waitMs }
}

// Agents pass on a provider's error in many shapes: code, message, data, or JSON text inside these. Searching all of
// it as one text finds each of them.
function textOf(error: unknown): string {
  const own = error instanceof Error ? `${error.name} ${error.message}` : ''
  let rest = ''
  try {
    rest = typeof error === 'string' ? error : (JSON.stringify(error) ?? '')
  } catch {
    // A cyclic object: its message has to do.
  }
  // The lookbehind keeps this fast: without it, 20,000 backslashes take seconds.
  return `${own} ${rest}`.slice(0, 20_000).replace(/(?<!\\)\\+"/g, '"')
}

function isRateLimit(text: string, error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  if (code === 429 || code === 529) return true
  return (
    /rate.?limit|too many requests|overloaded|resource.?exhausted|quota exceeded|exceeded.{0,40}quota|usage limit|insufficient_quota/i.test(
      text,
    ) || /\b(status|statusCode|status_code|http|HTTP|code|error)\W{0,12}(429|529)\b/.test(text)
  )
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: second, m: 60_000, h: 3_600_000, d: 86_400_000 }
const span =
  /(?<!\d)(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])/gi

/** The waiting time that the text gives; null if none. */
function toldWaitMs(text: string, nowMs: number): number | null {
  const waits = [
    inMs(text),
    header(text, nowMs),
    phrase(text),
    instant(text, nowMs),
    epoch(text, nowMs),
  ].filter((wait) => wait !== null && wait >= 0 && wait <= longestMs)
  return waits[0] ?? null
}

function inMs(text: string): number | null {
  const said = /retry[-_ ]?after[-_ ]?ms"?\s*[:=]\s*\[?"?(\d+(?:\.\d+)?)/i.exec(text)
  return said && Number(said[1])
}

/** `Retry-After` in seconds or as a date, `retryDelay: "34s"`. */
function header(text: string, nowMs: number): number | null {
  const said = /retry[-_ ]?(?:after|delay|in)(?:[-_ ]?seconds)?"?\s*[:=]?\s*\[?"?([^"\]}]{1,60})/i.exec(
    text,
  )?.[1]
  if (said === undefined) return null
  const date = /^[a-z]{3},? \d{1,2} [a-z]{3} \d{4} [\d:]{8} GMT/i.exec(said)?.[0]
  if (date) return Math.max(0, Date.parse(date) - nowMs)
  const spans = spanMs(said)
  if (spans !== null) return spans
  const number = /^\s*(\d+(?:\.\d+)?)/.exec(said)?.[1]
  return number === undefined ? null : Number(number) * second
}

/** "try again in 1m30s", "resets in 3 hours", "wait 20 seconds". */
function phrase(text: string): number | null {
  const said = /\b(?:again in|resets? in|retry in|available in|wait(?: for)?|after)\s+([^";]{1,60})/i.exec(
    text,
  )
  return said ? spanMs(said[1]!) : null
}

function spanMs(said: string): number | null {
  let sum = 0
  let end = 0
  for (const one of said.matchAll(span)) {
    // "20s (3 requests per 60s)": the second span is about something else.
    if (end === 0 ? one.index > 12 : /[^\s,and]/.test(said.slice(end, one.index))) break
    end = one.index + one[0].length
    const unit = one[2]!.toLowerCase()
    sum += Number(one[1]) * unitMs[unit === 'ms' || unit.startsWith('milli') ? 'ms' : unit[0]!]!
  }
  return end === 0 ? null : sum
}

/** Only a timestamp with a time zone: a bare time of day is ambiguous. */
function instant(text: string, nowMs: number): number | null {
  const said = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d| ?UTC)/.exec(text)?.[0]
  if (said === undefined || !/reset|again|until|retry/i.test(text)) return null
  const at = Date.parse(said.replace(' UTC', 'Z').replace('UTC', 'Z').replace(' ', 'T'))
  return Number.isNaN(at) || at < nowMs ? null : at - nowMs
}

/** "limit reached|1763262000", `x-ratelimit-reset: 1763262000`. */
function epoch(text: string, nowMs: number): number | null {
  const said = /(?:reset[^\d]{0,20}|\|)(\d{10})(\d{3})?\b/i.exec(text)
  if (!said) return null
  const at = Number(said[1]) * second + Number(said[2] ?? 0)
  return at < nowMs ? null : at - nowMs
}

/** A failed request to a model, as seen from outside. */
export type Failure = {
  status: number | null
  headers: Readonly<Record<string, string>>
  message: string
  body: string
}

export type ModelTrouble =
  /** The provider limits requests for a while. */
  | { is: 'busy'; status: 429 | 529; retryAfterMs: number; message: string }
  /** A retry at once may succeed. */
  | { is: 'passing'; message: string }
  /** The conversation is too long for the model. */
  | { is: 'too-long'; message: string }
  | { is: 'lasting'; message: string }

const defaultWaitMs = 30_000
const longestSaid = 500

const isOfTheNetwork =
  /cannot connect|fetch failed|socket|terminated|network|timed? ?out|\bE(CONN|PIPE|HOST|NET|AI_|TIMED|NOTFOUND)/i

/** Classifies a failed request, with a sentence that says what to do. */
export function modelTrouble(
  failure: Failure,
  { name: model, keyIn }: { name: string; keyIn: string },
  nowMs: number,
): ModelTrouble {
  const { status } = failure
  const said = firstLine(failure.message)
  const all = `${failure.message} ${failure.body}`
  if (
    /insufficient_quota|credit balance is too low|exceeded your current quota, please check your plan/i.test(
      all,
    )
  )
    return { is: 'lasting', message: `The account for ${model} has no credit left: ${said}` }
  if (status === 429 || status === 529 || /overloaded_error|rate_limit_error/.test(all)) {
    const retryAfterMs = waitOf(failure, nowMs)
    const isBusy = status === 529 || /overloaded/i.test(all)
    const what = isBusy ? 'is overloaded' : 'asks us to slow down'
    const message = `The provider of ${model} ${what}; again in ${Math.ceil(retryAfterMs / 1000)} s: ${said}`
    return { is: 'busy', status: isBusy ? 529 : 429, retryAfterMs, message }
  }
  if (status === 401 || status === 403 || /api[ _-]key not valid|invalid.{0,3}api.key/i.test(all))
    return { is: 'lasting', message: `The key for ${model} was refused; check ${keyIn}: ${said}` }
  if (isTooLong(all, status))
    return { is: 'too-long', message: `The conversation is too long for ${model}: ${said}` }
  if (status === 404 || /model.{0,40}(not found|does not exist)/i.test(all))
    return { is: 'lasting', message: `${model} was not found; FARHAND_MODEL names another: ${said}` }
  if (status === null && isOfTheNetwork.test(all))
    return { is: 'passing', message: `${model} cannot be reached; check network and base URL: ${said}` }
  if (status === null) return { is: 'lasting', message: `The provider of ${model} failed: ${said}` }
  if (status === 408 || status === 409 || status >= 500)
    return {
      is: 'passing',
      message: `The provider of ${model} failed with ${status}; try again later: ${said}`,
    }
  return { is: 'lasting', message: `The provider of ${model} refused the request with ${status}: ${said}` }
}

function isTooLong(all: string, status: number | null): boolean {
  if (status === 413) return true
  return /prompt is too long|context.?length|context.?window|maximum context|input token count.{0,40}exceed|too many tokens/i.test(
    all,
  )
}

function waitOf({ headers, body }: Failure, nowMs: number): number {
  const exact = Number(headers['retry-after-ms'])
  if (exact > 0) return exact
  const said = headers['retry-after']
  if (said) {
    const waitMs = Number.isNaN(Number(said)) ? Date.parse(said) - nowMs : Number(said) * 1000
    if (waitMs >= 0) return waitMs
  }
  // Google gives the delay in the body only.
  const delay = /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body)
  return delay ? Math.ceil(Number(delay[1]) * 1000) : defaultWaitMs
}

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  return line.length > longestSaid ? `${line.slice(0, longestSaid)}…` : line
}

type Called = {
  statusCode?: unknown
  responseHeaders?: unknown
  responseBody?: unknown
  message?: unknown
  cause?: unknown
}

/** Reads what is known about a failed request from the library's error. */
export function failureOf(error: unknown): Failure {
  const called = (typeof error === 'object' && error !== null ? error : { message: error }) as Called
  const headers = (called.responseHeaders ?? {}) as Record<string, string>
  const inner = (called.cause as { message?: unknown; code?: unknown } | undefined) ?? {}
  const message = typeof called.message === 'string' ? called.message : JSON.stringify(error)
  const why = typeof inner.message === 'string' && inner.message ? inner.message : inner.code
  return {
    // An answer that broke off also has a status: 200.
    status: typeof called.statusCode === 'number' && called.statusCode >= 400 ? called.statusCode : null,
    headers,
    // "fetch failed" alone does not help; its cause names the address that refused.
    message: typeof why === 'string' && !message.includes(why) ? `${message} (${why})` : message,
    body: typeof called.responseBody === 'string' ? called.responseBody : (JSON.stringify(error) ?? ''),
  }
}

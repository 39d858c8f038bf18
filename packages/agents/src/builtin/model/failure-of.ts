import type { Failure } from './model-trouble.ts'

type Called = {
  statusCode?: unknown
  responseHeaders?: unknown
  responseBody?: unknown
  message?: unknown
  cause?: unknown
}

/** What is known of a failed request, from whatever the library threw or put into the stream. */
export function failureOf(error: unknown): Failure {
  const called = (typeof error === 'object' && error !== null ? error : { message: error }) as Called
  const headers = (called.responseHeaders ?? {}) as Record<string, string>
  const inner = (called.cause as { message?: unknown; code?: unknown } | undefined) ?? {}
  const message = typeof called.message === 'string' ? called.message : JSON.stringify(error)
  const why = typeof inner.message === 'string' && inner.message ? inner.message : inner.code
  return {
    // An answer that began well and broke off has a status, too: 200.
    status: typeof called.statusCode === 'number' && called.statusCode >= 400 ? called.statusCode : null,
    headers,
    // "fetch failed" alone helps nobody; what is behind it says which address refused.
    message: typeof why === 'string' && !message.includes(why) ? `${message} (${why})` : message,
    body: typeof called.responseBody === 'string' ? called.responseBody : (JSON.stringify(error) ?? ''),
  }
}

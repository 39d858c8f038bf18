/** Responses to requests that were sent before the app had loaded, by request. Each is used at most once. */
export type EarlyResponses = Map<string, { answer: Promise<Response>; stop: AbortController }>

/** Where the early script leaves them for the app, which is another script. */
export const place = globalThis as { farhandAhead?: EarlyResponses }

/** Two requests for the same log may start at different events. */
export const requestKey = (url: string, headers: HeadersInit = {}) =>
  `${url} ${new Headers(headers).get('last-event-id') ?? ''}`

const taken = new WeakSet<Response>()

/** The `Date` header of an early response is too old to set the clock by. */
export const isEarlyResponse = (answer: Response): boolean => taken.has(answer)

/** The early response to this request; null if there is none, or if it was an error: then the caller asks again. */
export async function takeEarlyResponse(
  asked: string,
  { method = 'GET', headers, signal }: RequestInit = {},
): Promise<Response | null> {
  const all = place.farhandAhead
  if (!all?.size || method !== 'GET') return null
  const name = requestKey(asked, headers)
  const ahead = all.get(name)
  if (!ahead) return null
  all.delete(name)
  const stop = () => ahead.stop.abort(signal?.reason)
  if (signal?.aborted) stop()
  else signal?.addEventListener('abort', stop, { once: true })
  try {
    const answer = await ahead.answer
    if (answer.ok) taken.add(answer)
    else stop()
    return answer.ok ? answer : null
  } catch {
    // The network failed or the caller has aborted: a new request tells which.
    return null
  }
}

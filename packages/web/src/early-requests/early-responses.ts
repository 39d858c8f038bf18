/** What was asked before the app was there to ask it, by what was asked; each is taken once, or by nobody. */
export type EarlyResponses = Map<string, { answer: Promise<Response>; stop: AbortController }>

/** Where the script that asks leaves it for the app, which is another one. */
export const place = globalThis as { farhandAhead?: EarlyResponses }

/** Two that ask for the same log may want it from different events on. */
export const requestKey = (url: string, headers: HeadersInit = {}) =>
  `${url} ${new Headers(headers).get('last-event-id') ?? ''}`

const taken = new WeakSet<Response>()

/** What the hub said some time ago says nothing of what time it is. */
export const isEarlyResponse = (answer: Response): boolean => taken.has(answer)

/** What the hub has answered to this already, or will soon; null if it was not asked, or has refused: that is for now to find out. */
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
    // The network has failed, or the asker has gone: to ask once more tells which.
    return null
  }
}

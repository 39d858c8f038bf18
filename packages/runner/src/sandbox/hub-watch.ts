import type { Hub } from '@farhand/client/requests/hub'

type Fetch = NonNullable<Hub['fetch']>

const lookEveryMs = 60_000

/**
 * Wraps `fetch`, with a signal that aborts when the hub has not answered for `goneMs`: a sandbox waits for a
 * restarted hub, but not forever.
 */
export function watchHub(fetch: Fetch, goneMs: number): { fetch: Fetch; gone: AbortSignal } {
  const gone = new AbortController()
  let heardAt = performance.now()
  const looking = setInterval(
    () => {
      if (performance.now() - heardAt < goneMs) return
      clearInterval(looking)
      gone.abort(new Error(`no hub has answered for ${Math.round(goneMs / 60_000)} minutes`))
    },
    Math.min(goneMs, lookEveryMs),
  ).unref()
  const heard: Fetch = async (...asked) => {
    const answer = await fetch(...asked)
    heardAt = performance.now()
    return answer
  }
  return { fetch: Object.assign(heard, fetch), gone: gone.signal }
}

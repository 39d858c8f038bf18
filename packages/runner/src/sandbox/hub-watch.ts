import type { Hub } from '@farhand/client/requests/hub'

type Fetch = NonNullable<Hub['fetch']>

const lookEveryMs = 60_000

/**
 * A way to a hub, and a signal that is aborted when nobody has answered on it for so long: a sandbox outlives its hub for
 * the next one, but not for ever.
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

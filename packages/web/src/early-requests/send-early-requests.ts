import { followRequest } from '@farhand/client/follow/follow-request'
import { ask, type HubRequest } from '@farhand/client/requests/hub'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { routeOf } from '../navigation/route.ts'
import { type EarlyResponses, requestKey } from './early-responses.ts'

/** Early responses are dropped after this time, so that a slow app start does not get old data. */
const heldMs = 10_000

export type EarlyRequestPorts = {
  origin: string
  path: string
  /** Whether to request the log of the run from its start: this browser has no cache, and the page is visible. */
  isLogWanted: boolean
  fetch: typeof fetch
  sessionKey: () => string | null
}

/**
 * Sends the first requests of the app while the app is still loading: the user, and the run that the address names.
 * Unused requests are aborted, because a browser has few connections to one hub.
 */
export function sendEarlyRequests({
  origin,
  path,
  isLogWanted,
  fetch: plain,
  sessionKey,
}: EarlyRequestPorts): EarlyResponses {
  const all: EarlyResponses = new Map()
  const asking = (request: HubRequest): Promise<Response> => {
    const stop = new AbortController()
    const keeping: typeof fetch = (url, init) => {
      const answer = plain(url, init)
      const name = requestKey(String(url), init?.headers)
      all.set(name, { answer, stop })
      setTimeout(() => {
        if (!all.delete(name)) return
        stop.abort()
        // Avoids an unhandled rejection: the response is not used.
        answer.catch(() => {})
      }, heldMs)
      return answer
    }
    return ask({ url: origin, fetch: keeping, sessionKey }, request, stop.signal)
  }
  asking({ path: paths.me() }).catch(() => {})
  const route = routeOf(path)
  // Anything else is no run id, and must not get into another URL.
  if (route.is !== 'run' || !/^\w+$/.test(route.run)) return all
  asking({ path: paths.anyRun(route.run as RunAddress['run']) })
    .then(async (answer) => {
      if (!isLogWanted || !answer.ok) return
      const before = all.size
      const { project, task, id } = (await answer.clone().json()) as { [name: string]: unknown }
      const at = { project, task, run: id } as RunAddress
      // The app has loaded and sends its own request.
      if (all.size < before) return
      await asking(followRequest(at, { read: 0, envelope: 'stored', presence: '1' }))
    })
    // The app will ask again and show the error.
    .catch(() => {})
  return all
}

import { followRequest } from '@farhand/client/follow/follow-request'
import { ask, type HubRequest } from '@farhand/client/requests/hub'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { routeOf } from '../navigation/route.ts'
import { type EarlyResponses, requestKey } from './early-responses.ts'

/** An app that takes longer to arrive gets newer answers. */
const heldMs = 10_000

export type EarlyRequestPorts = {
  origin: string
  path: string
  /** Whether the log of the run is wanted from its beginning: nothing of it is kept here, and somebody looks. */
  isLogWanted: boolean
  fetch: typeof fetch
  sessionKey: () => string | null
}

/**
 * Asks the hub what the app will ask it first, while the app is still on its way: who is here, and the run that the address
 * names. What nobody takes is let go of: a browser has few connections to one hub.
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
        // Nobody is there to hear of it.
        answer.catch(() => {})
      }, heldMs)
      return answer
    }
    return ask({ url: origin, fetch: keeping, sessionKey }, request, stop.signal)
  }
  asking({ path: paths.me() }).catch(() => {})
  const route = routeOf(path)
  // Anything else is no name of a run, and must not become part of another address.
  if (route.is !== 'run' || !/^\w+$/.test(route.run)) return all
  asking({ path: paths.anyRun(route.run as RunAddress['run']) })
    .then(async (answer) => {
      if (!isLogWanted || !answer.ok) return
      const before = all.size
      const { project, task, id } = (await answer.clone().json()) as { [name: string]: unknown }
      const at = { project, task, run: id } as RunAddress
      // The app is there, and asks for itself.
      if (all.size < before) return
      await asking(followRequest(at, { read: 0, envelope: 'stored' }))
    })
    // Whoever asks again finds out why.
    .catch(() => {})
  return all
}

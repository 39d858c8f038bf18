import type { Fetch, Hub } from '@farhand/client/requests/hub'
import { localSocketPath } from '@farhand/hub/local-socket'
import { leanFetch, socketFetch } from '@farhand/sync/http/lean-fetch'
import { LocalHub } from './local-hub.ts'

/** By the socket, as one that lies deep keeps its folder open. */
const sockets = new Map<string, Fetch>()

/**
 * A hub as this machine speaks to it. The user's own one is reached by the socket in its data folder and by nothing else: no
 * token goes to whoever has its port by now, and it is found wherever it listens. Any other is reached at its address.
 */
export function viaLocalSocket<Access extends { url: string }>(
  stateRoot: string,
  access: Access,
): Access & Pick<Hub, 'fetch'> {
  const own = new LocalHub(stateRoot)
  return own.note?.urls.includes(access.url) ? { ...access, ...localSocketAccess(own, access.url) } : access
}

/** The way to the user's own hub, whatever address it is called by. Where no socket can be, it is that address. */
export function localSocketAccess({ data }: LocalHub, url: string): Pick<Hub, 'fetch'> {
  const door = localSocketPath(data)
  if (door === null) return {}
  const { host } = new URL(url)
  const fetch = (asked: string, init?: RequestInit) =>
    // Contents may lie elsewhere, under an address that carries its own permission.
    (new URL(asked).host === host ? bySocket(door) : leanFetch)(asked, init)
  return { fetch: Object.assign(fetch as typeof globalThis.fetch, { takesPieces: true as const }) }
}

function bySocket(door: string): Fetch {
  const known = sockets.get(door) ?? socketFetch(door)
  sockets.set(door, known)
  return known
}

import type { Fetch, Hub } from '@farhand/client/requests/hub'
import { leanFetch, socketFetch } from '@farhand/sync/http/lean-fetch'
import { withDeviceToken } from '../device-token/with-device-token.ts'
import { LocalHub } from './local-hub.ts'

/** One connection pool per socket: for a long path the client keeps the socket's folder open. */
const sockets = new Map<string, Fetch>()

/**
 * Access to a hub. The local hub is only ever reached by the socket in its data folder: so its token never goes to
 * another process that took over its port, and it is found at any port. Any other hub is reached at its
 * address, and a bound computer's token for it is renewed in time.
 */
export function viaLocalSocket<Access extends Pick<Hub, 'url' | 'token' | 'fetch'>>(
  stateRoot: string,
  access: Access,
): Access & Pick<Hub, 'fetch'> {
  const own = new LocalHub(stateRoot)
  if (own.note?.urls.includes(access.url)) return { ...access, ...localSocketAccess(own, access.url) }
  return withDeviceToken(stateRoot, access)
}

/**
 * Access to the local hub by its socket, whichever of its addresses `url` is. Where sockets do not work, by that
 * address.
 */
export function localSocketAccess({ socket }: LocalHub, url: string): Pick<Hub, 'fetch'> {
  if (socket === null) return {}
  const { host } = new URL(url)
  const fetch = (asked: string, init?: RequestInit) =>
    // Blobs may be stored elsewhere, under signed URLs.
    (new URL(asked).host === host ? bySocket(socket) : leanFetch)(asked, init)
  return { fetch: Object.assign(fetch as typeof globalThis.fetch, { takesPieces: true as const }) }
}

function bySocket(door: string): Fetch {
  const known = sockets.get(door) ?? socketFetch(door)
  sockets.set(door, known)
  return known
}

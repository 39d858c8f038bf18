import type { Fetch, Hub } from '@farhand/client/requests/hub'
import { HubTokens } from '@farhand/sync/state/hub-tokens'
import { DeviceToken } from './device-token.ts'

/** One for each hub of a process, so that one renewal serves all its requests. */
const known = new Map<string, DeviceToken>()

/**
 * Access to a hub whose requests have the token that is valid when they are sent, if it is that of this bound computer. Requests with
 * another token, such as a runner's, are left as they are.
 */
export function withDeviceToken<Access extends Pick<Hub, 'url' | 'token' | 'fetch'>>(
  stateRoot: string,
  access: Access,
): Access & Pick<Hub, 'fetch'> {
  const { url, token } = access
  const tokens = new HubTokens(stateRoot)
  if (token === undefined || tokens.boundAs(url) === null || tokens.of(url) !== token) return access
  const send: Fetch = access.fetch ?? globalThis.fetch
  const name = `${stateRoot} ${url}`
  const own = known.get(name) ?? new DeviceToken(stateRoot, url, access.fetch ? { fetch: access.fetch } : {})
  known.set(name, own)
  const fetch = async (asked: string, init: RequestInit = {}) => {
    const headers = init.headers as Record<string, string> | undefined
    if (headers?.authorization !== `Bearer ${token}`) return await send(asked, init)
    const current = (await own.current()) ?? token
    return await send(asked, { ...init, headers: { ...headers, authorization: `Bearer ${current}` } })
  }
  const { takesPieces } = send
  return {
    ...access,
    fetch: Object.assign(fetch as typeof globalThis.fetch, takesPieces ? { takesPieces } : {}),
  }
}

import { sessionKeyHeader } from '@farhand/protocol/wire/session-key'

/** The address of a hub, and the credentials of the caller. */
export type Hub = {
  url: string
  /** Absent in a page that the hub itself served: it has a cookie and `sessionKey` instead. */
  token?: string
  /** The half of a session's token that a page keeps (W47); called for each request, because another tab may have signed in again. */
  sessionKey?: () => string | null
  deviceId?: string
  /** Each restart of a device program has a higher number: requests of earlier ones are refused after it (W34). */
  deviceLife?: number
  fetch?: Fetch
}

/** With `takesPieces` it accepts a body as an array of pieces, which then need not be joined first. */
export type Fetch = typeof fetch & { takesPieces?: true }

export type HubRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Record<string, string | number | undefined>
  headers?: Record<string, string>
  body?: string | readonly Uint8Array[]
}

/** A request with this value as its body. */
export const jsonRequest = (
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  value: unknown,
  headers: Record<string, string> = {},
): HubRequest => ({
  method,
  path,
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

/** Sends one request as this hub's user. Redirects are not followed: a token must not be sent to another server. */
export function ask(hub: Hub, request: HubRequest, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { ...request.headers }
  if (hub.token !== undefined) headers.authorization = `Bearer ${hub.token}`
  const key = hub.sessionKey?.()
  if (key) headers[sessionKeyHeader] = key
  if (hub.deviceId !== undefined) headers['device-id'] = hub.deviceId
  if (hub.deviceLife !== undefined) headers['device-life'] = String(hub.deviceLife)
  const init: RequestInit = {
    method: request.method ?? 'GET',
    headers,
    signal,
    redirect: 'manual',
    cache: 'no-store',
  }
  if (request.body !== undefined) init.body = bodyFor(hub, request.body)
  return (hub.fetch ?? fetch)(address(hub, request), init)
}

function bodyFor(hub: Hub, body: string | readonly Uint8Array[]): BodyInit {
  if (typeof body === 'string') return body
  return hub.fetch?.takesPieces ? (body as unknown as BodyInit) : new Blob(body as unknown as BlobPart[])
}

/** A hub may be served below a path of its host, so its paths are appended, not resolved. */
function address(hub: Hub, { path, query }: HubRequest): string {
  if (!query) return hub.url.replace(/\/+$/, '') + path
  const url = new URL(hub.url.replace(/\/+$/, '') + path)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url.href
}

/** The whole URL of an address from the hub, which may be a path of the hub or the URL of another server. */
export function resolveUrl(hub: Hub, url: string): string {
  return url.startsWith('/') ? hub.url.replace(/\/+$/, '') + url : url
}

/** Requests a signed address, which needs no token: another server must not see the token. */
export function useUrl(hub: Hub, url: string, init: RequestInit): Promise<Response> {
  return (hub.fetch ?? fetch)(resolveUrl(hub, url), { ...init, redirect: 'manual', credentials: 'omit' })
}

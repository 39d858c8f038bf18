import { sessionKeyHeader } from '@farhand/protocol/wire/session-key'

/** How to reach a hub, and as whom. */
export type Hub = {
  url: string
  /** Absent in a browser page that the hub itself served: its cookie and `sessionKey` speak for it. */
  token?: string
  /** The half of a session's token that a page keeps (W47); asked for with each request, as another tab may have signed in anew. */
  sessionKey?: () => string | null
  deviceId?: string
  /** Later lives of the same device have higher numbers, and what this one sent must not arrive after theirs (W34). */
  deviceLife?: number
  fetch?: Fetch
}

/** One that `takesPieces` takes a body as an array of them, which then need not be put together first. */
export type Fetch = typeof fetch & { takesPieces?: true }

export type HubRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  query?: Record<string, string | number | undefined>
  headers?: Record<string, string>
  body?: string | readonly Uint8Array[]
}

/** Sends one request as this hub's user. Redirects are not followed: a token must not travel to another place. */
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

/** A hub may live below a path of its host, so its paths are appended, not resolved. */
function address(hub: Hub, { path, query }: HubRequest): string {
  if (!query) return hub.url.replace(/\/+$/, '') + path
  const url = new URL(hub.url.replace(/\/+$/, '') + path)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url.href
}

/** Where an address that the hub gave out leads; it may be a path of the hub or another server's. */
export function resolveUrl(hub: Hub, url: string): string {
  return url.startsWith('/') ? hub.url.replace(/\/+$/, '') + url : url
}

/** Uses a signed address. It carries its own permission: another server must not see the token. */
export function useUrl(hub: Hub, url: string, init: RequestInit): Promise<Response> {
  return (hub.fetch ?? fetch)(resolveUrl(hub, url), { ...init, redirect: 'manual', credentials: 'omit' })
}

/** The target of a connection. The host is in lower-case ASCII, without a final dot or brackets. */
export type Destination = { host: string; port: number }

const mostHost = 253

/** The target of a CONNECT request, or null if it is not a host and a port. */
export function connectDestination(authority: string): Destination | null {
  const port = /^(?:[^\s/?#@\\:]+|\[[^\s/?#@\\]+\]):(\d{1,5})$/.exec(authority)?.[1]
  if (port === undefined || Number(port) < 1 || Number(port) > 65535) return null
  const host = hostOf(authority.slice(0, -port.length - 1))
  return host === null ? null : { host, port: Number(port) }
}

/** The target of an HTTP URL, without the part before an `@`. */
export function urlDestination(url: URL): Destination | null {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  const host = hostOf(url.hostname)
  return host === null || port === 0 ? null : { host, port }
}

/** Normalizes a host: 127.1, 0x7f000001 and 127.0.0.1 are the same, and so are Example.ORG. and example.org. */
export function hostOf(said: string): string | null {
  if (!URL.canParse(`http://${said}/`)) return null
  const { hostname, username, pathname } = new URL(`http://${said}/`)
  if (username !== '' || pathname !== '/') return null
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return host === '' || host.length > mostHost || host.endsWith('.') ? null : host
}

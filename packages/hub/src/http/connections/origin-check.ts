import type { IncomingMessage } from 'node:http'
import { networkInterfaces } from 'node:os'
import { Fault } from '@farhand/protocol/wire/faults'
import { header } from '../exchange/exchange.ts'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Refuses requests that a foreign web page made a browser send: across origins (told by `Origin`), or by DNS rebinding, where the
 * page's own name points to this address (told by `Host`).
 */
export class OriginCheck {
  readonly #hosts: ReadonlySet<string>
  readonly #listensOn: string
  /** The address that browsers see, if the operator has set it. */
  readonly #publicUrl: URL | null
  #last = ''

  constructor(options: { host: string; allowedHosts: readonly string[]; publicUrl?: string | undefined }) {
    const hosts = new Set([...loopback, ...options.allowedHosts.map((host) => host.toLowerCase())])
    this.#listensOn = options.host
    this.#publicUrl = options.publicUrl ? new URL(options.publicUrl) : null
    if (this.#publicUrl) hosts.add(this.#publicUrl.hostname)
    this.#hosts = hosts
  }

  check(req: IncomingMessage): void {
    const host = header(req, 'host')
    if (host === undefined || !this.#knows(host)) {
      throw new Fault(
        'host.refused',
        `requests for host "${(host ?? '').slice(0, 80)}" are not taken here; start the hub with --allowed-hosts and that name to allow it`,
        { field: 'host' },
      )
    }
    const origin = header(req, 'origin')
    if (origin !== undefined ? !this.#isOurs(origin, host) : isLoadedElsewhere(req)) {
      throw new Fault(
        'origin.refused',
        'pages of another origin may not use this hub; one that is reached by a proxy is started with --public-url',
        { field: 'origin' },
      )
    }
  }

  #knows(host: string): boolean {
    if (host === this.#last) return true
    if (!this.#isName(withoutPort(host))) return false
    this.#last = host
    return true
  }

  /** Reads the machine's addresses each time: a laptop gets others in the next network. */
  #isName(name: string): boolean {
    return this.#hosts.has(name) || listening(this.#listensOn).some((address) => hostName(address) === name)
  }

  #isOurs(origin: string, host: string): boolean {
    if (!URL.canParse(origin)) return false
    const url = new URL(origin)
    if (url.origin === this.#publicUrl?.origin) return true
    const isPublic = url.hostname === this.#publicUrl?.hostname
    if (url.host === withoutUsualPort(host, url.protocol)) return !isPublic || url.port !== ''
    // A proxy on this machine may send its own target as `Host`. In no other case may host or port differ from the origin: browsers
    // send the cookie to all ports of a machine, and agents serve pages there.
    const isTold = !isPublic && !loopback.has(url.hostname) && this.#hosts.has(url.hostname)
    return isTold && loopback.has(withoutPort(host))
  }
}

/** The addresses under which the hub is reached. A host name that points to one of them is still foreign. */
function listening(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [host]
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address),
  )
}

/** Requests for images and scripts have no `Origin`, but browsers send `Sec-Fetch-Site`. Following a link is always allowed. */
function isLoadedElsewhere(req: IncomingMessage): boolean {
  const site = header(req, 'sec-fetch-site')
  return (site === 'cross-site' || site === 'same-site') && header(req, 'sec-fetch-mode') !== 'navigate'
}

/** As a browser writes it in an origin. */
function withoutUsualPort(host: string, protocol: string): string {
  return host.toLowerCase().replace(protocol === 'https:' ? /:443$/ : /:80$/, '')
}

function withoutPort(host: string): string {
  const name = host.toLowerCase().replace(/:\d*$/, '')
  // File URLs are built from the `Host` header, so an invalid one must not pass.
  return Number(host.slice(name.length + 1)) > 65535 ? '' : name
}

function hostName(host: string): string {
  return host.includes(':') ? `[${host}]` : host.toLowerCase()
}

import { lookup as systemLookup } from 'node:dns/promises'
import { connect, isIPv6, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { ConnectionShare } from './connection-budget.ts'
import type { Destination } from './destination.ts'
import { atMost, isAddress, mayConnect, type Permit, type Rules, usableAddresses } from './may-connect.ts'

/** Resolves a name to all its addresses. */
export type Lookup = (host: string) => Promise<string[]>

/** Why there is no connection: an HTTP status, and a text for the program that asked. */
export type NotReached = { status: 403 | 502 | 503 | 504; words: string }

export type OutsideConnectionsOptions = {
  rules: Rules
  /** Called once for each refused host, up to `mostRefusalsTold` hosts. */
  refused: (to: Destination) => void
  lines: ConnectionShare
  lookup?: Lookup
  connectMs?: number
}

const mostConnections = 256
const mostRefusalsTold = 100
const keepAliveMs = 30_000

/** Makes the outside connections of one sandbox, only to allowed targets and within limits. */
export class OutsideConnections {
  readonly #options: Required<OutsideConnectionsOptions>
  readonly #told = new Set<string>()
  #open = 0

  constructor(options: OutsideConnectionsOptions) {
    this.#options = { lookup: lookupHere, connectMs: 30_000, ...options }
  }

  may(to: Destination): Permit {
    return mayConnect(this.#options.rules, to)
  }

  /** As `may`, for a git remote that the run names, which it may reach with any network setting. */
  mayNamed(to: Destination): Permit {
    return atMost(this.#options.rules, to)
  }

  /** Opens a connection, which the caller has to close. A forbidden target is refused before its name is resolved. */
  async to(to: Destination, permit = this.may(to)): Promise<Socket | NotReached> {
    if (permit === 'refused') return this.#refuse(to, 'it is not among the hosts that this run may reach')
    if (this.#open >= mostConnections || this.#options.lines.isFull())
      return { status: 503, words: `This sandbox has ${this.#open} connections open already.` }
    this.#open++
    const over = () => this.#open--
    const socket = await this.#connect(to, permit).catch((error: NodeJS.ErrnoException) => failed(to, error))
    if ('status' in socket) over()
    else if (socket.destroyed) over()
    else {
      socket.once('close', over)
      // The limit was checked before connecting; one or two too many do no harm.
      this.#options.lines.take(socket)
    }
    return socket
  }

  async #connect(to: Destination, permit: Permit): Promise<Socket | NotReached> {
    const all = isAddress(to.host) ? [to.host] : await this.#options.lookup(to.host)
    const usable = usableAddresses(permit, all, ownAddresses())
    if (all.length > 0 && usable.length === 0)
      return this.#refuse(
        to,
        'it leads into a private network, and the run does not name its port, or may not reach it',
      )
    // Connects to the checked addresses: resolving again might give other ones.
    return await connected(to, usable, this.#options.connectMs)
  }

  #refuse(to: Destination, why: string): NotReached {
    if (!this.#told.has(to.host) && this.#told.size < mostRefusalsTold) {
      this.#told.add(to.host)
      this.#options.refused(to)
    }
    return { status: 403, words: `Farhand: ${inWords(to)} cannot be reached from this sandbox: ${why}.` }
  }
}

const ownAddresses = () =>
  Object.values(networkInterfaces()).flatMap((some) => (some ?? []).map(({ address }) => address))

/** Resolves a name with the hub's system. */
export async function lookupHere(host: string): Promise<string[]> {
  return (await systemLookup(host, { all: true })).map(({ address }) => address)
}

function connected(to: Destination, addresses: readonly string[], ms: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
    const socket = connect({
      ...to,
      lookup: (_host, { all }, take) =>
        all ? take(null, found) : take(null, found[0]?.address ?? '', found[0]?.family),
      autoSelectFamily: found.length > 1,
      autoSelectFamilyAttemptTimeout: 3_000,
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveMs,
    })
    const late = setTimeout(
      () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
      ms,
    )
    socket.once('error', (error) => {
      clearTimeout(late)
      reject(error)
    })
    socket.once('connect', () => {
      clearTimeout(late)
      resolve(socket)
    })
  })
}

function failed(to: Destination, { code }: NodeJS.ErrnoException): NotReached {
  const status = code === 'ETIMEDOUT' ? 504 : 502
  return { status, words: `${inWords(to)} could not be reached (${code ?? 'unknown'}).` }
}

/** The target as users write it. */
export const inWords = ({ host, port }: Destination) => `${host.includes(':') ? `[${host}]` : host}:${port}`

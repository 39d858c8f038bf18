import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressGroup, type ConnectionLimits } from './connection-limits.ts'

/** A connection: the newest response on it, its address group, and since when no response is due on it. */
type Connection = {
  newest: ServerResponse | null
  from: string | null
  user: string | null
  cameAt: number
  quietSince: number
}

/** A new connection has had no time to show a token: many may come at once through one proxy, as after a restart. */
const graceMs = 1_000
/** How long a connection without a token may be idle between two requests. The client is told two seconds less. */
const strangerMs = 12_000
export const strangerKeepAlive = `timeout=${strangerMs / 1000 - 2}`

/**
 * The connections of a server. Node counts a connection that has not sent anything yet as busy (browsers open such ones in
 * advance), so a stop would wait for it until it times out.
 *
 * A connection that has shown no token is a stranger. When there are too many connections, the oldest stranger is closed and not the
 * new connection: a client with a token shows it at once and is no stranger then.
 */
export class Connections {
  readonly #all = new Map<Socket, Connection>()
  /** Strangers, the oldest first, and the same by address. */
  readonly #strangers = new Map<Socket, string>()
  readonly #byAddress = new Map<string, Set<Socket>>()
  readonly #byUser = new Map<string, number>()
  readonly #limits: ConnectionLimits
  readonly #onDrop: () => void
  #fromPort = 0
  #onEmpty = () => {}

  constructor(server: Server, limits: ConnectionLimits, onDrop: () => void) {
    this.#limits = limits
    this.#onDrop = onDrop
    // Before the server's own listener: a dropped connection needs no HTTP parser.
    server.prependListener('connection', (socket: Socket) => this.#came(socket))
  }

  #came(socket: Socket): void {
    // A connection whose request is parsed again is announced twice.
    if (this.#all.has(socket)) return
    const { remoteAddress } = socket
    // The local socket and the sockets of sandboxes have their own limits.
    const from = remoteAddress === undefined ? null : addressGroup(remoteAddress)
    const now = performance.now()
    this.#all.set(socket, { newest: null, from, user: null, cameAt: now, quietSince: now })
    socket.once('close', () => this.#left(socket))
    if (from === null) return
    this.#fromPort++
    this.#thinOut(from, this.#limits.strangersPerAddress - 1)
    if (this.#fromPort > this.#limits.most) this.#drop(first(this.#strangers.keys()) ?? socket)
    if (socket.destroyed) return
    this.#strangers.set(socket, from)
    const neighbours = this.#byAddress.get(from) ?? new Set()
    this.#byAddress.set(from, neighbours.add(socket))
  }

  /** Closes the oldest strangers of an address group until `most` are left; new ones are spared. */
  #thinOut(from: string, most: number, now = performance.now()): void {
    const neighbours = this.#byAddress.get(from)
    while (neighbours && neighbours.size > most) {
      const oldest = first(neighbours)!
      if (now - this.#all.get(oldest)!.cameAt < graceMs) return
      this.#drop(oldest)
    }
  }

  #left(socket: Socket): void {
    const gone = this.#all.get(socket)
    if (!gone) return
    this.#all.delete(socket)
    if (gone.from !== null) this.#fromPort--
    this.#noStranger(socket)
    if (gone.user !== null) this.#count(gone.user, -1)
    if (this.#all.size === 0) this.#onEmpty()
  }

  #drop(socket: Socket | undefined): void {
    if (!socket) return
    this.#onDrop()
    socket.destroy()
    // At once, not on its `close` event: the next connection is checked before that.
    this.#left(socket)
  }

  #noStranger(socket: Socket): void {
    const from = this.#strangers.get(socket)
    if (from === undefined) return
    this.#strangers.delete(socket)
    const neighbours = this.#byAddress.get(from)
    neighbours?.delete(socket)
    if (neighbours?.size === 0) this.#byAddress.delete(from)
  }

  #count(user: string, by: 1 | -1): number {
    const count = (this.#byUser.get(user) ?? 0) + by
    if (count > 0) this.#byUser.set(user, count)
    else this.#byUser.delete(user)
    return count
  }

  isStranger(socket: Socket): boolean {
    return this.#strangers.has(socket)
  }

  /**
   * Marks the connection as authenticated. False if the user already has as many connections as allowed. Behind a proxy `user` is
   * null, as one connection serves many users.
   */
  trust(socket: Socket, user: string | null): boolean {
    this.#noStranger(socket)
    const one = this.#all.get(socket)
    if (!one || one.from === null || one.user !== null || user === null) return true
    if ((this.#byUser.get(user) ?? 0) >= this.#limits.perUser) return false
    one.user = user
    this.#count(user, 1)
    return true
  }

  /** Closes idle connections of strangers. */
  closeStrange(now = performance.now()): void {
    for (const from of [...this.#byAddress.keys()]) this.#thinOut(from, this.#limits.strangersPerAddress, now)
    for (const socket of this.#strangers.keys()) {
      const { newest, quietSince } = this.#all.get(socket)!
      // Connections that never sent a request are closed by the server itself.
      if (newest?.writableFinished && now - quietSince > strangerMs) socket.destroy()
    }
  }

  /** Resolves when no connection is left. The server itself waits only for those of its port. */
  async empty(): Promise<void> {
    if (this.#all.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve))
  }

  /** Must be called for each request. */
  track(socket: Socket, res: ServerResponse): void {
    const one = this.#all.get(socket)
    if (!one) return
    one.newest = res
    if (this.#strangers.has(socket)) res.once('finish', () => (one.quietSince = performance.now()))
  }

  /** Whether an error on a connection can be answered: not in place of another response that is due, nor within one. */
  canAnswer(socket: Socket): boolean {
    const newest = this.#all.get(socket)?.newest
    if (!newest || newest.writableFinished) return true
    // The error is in the body of this request. An error after a complete request does not belong to it.
    return !newest.req.complete && newest.socket !== null && !newest.headersSent
  }

  /** Closes connections without a pending response. Responses are sent in order, so the newest is the last one due. */
  closeQuiet(): void {
    for (const [socket, { newest }] of this.#all)
      if (newest === null || newest.writableFinished) socket.destroy()
  }
}

const first = <Item>(items: Iterable<Item>): Item | undefined => items[Symbol.iterator]().next().value

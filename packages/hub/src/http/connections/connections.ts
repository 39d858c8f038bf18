import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressGroup, type ConnectionLimits } from './connection-limits.ts'

/** A connection: the newest answer on it, where it came from, and since when nothing is owed on it. */
type Connection = {
  newest: ServerResponse | null
  from: string | null
  user: string | null
  cameAt: number
  quietSince: number
}

/** Who has just come could not show a token yet: many may come at once through one proxy, as after a restart. */
const graceMs = 1_000
/** How long a connection that has shown no token may be quiet between two requests; it is told two seconds less. */
const strangerMs = 12_000
export const strangerKeepAlive = `timeout=${strangerMs / 1000 - 2}`

/**
 * The connections of a server. Node counts a connection that has not sent anything yet as busy (browsers open such ones in
 * advance), so a stop would wait for it until it times out.
 *
 * One that has shown no token is a stranger. When there are too many, the stranger that is there longest has to go, and not
 * who comes: who has a token shows it at once, and is no stranger any more.
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
    // Before the listener of the server itself: what is dropped needs no parser.
    server.prependListener('connection', (socket: Socket) => this.#came(socket))
  }

  #came(socket: Socket): void {
    // One whose request is read once more comes twice.
    if (this.#all.has(socket)) return
    const { remoteAddress } = socket
    // The side door and those of sandboxes have limits of their own.
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

  /** Leaves so many strangers from an address, and those who have just come. */
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
    // Not only when it says so: the next one is looked at before that.
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
   * Somebody has shown on it who they are. False if this user has as many connections as one may have; through a proxy that
   * cannot be told, as one connection of it serves many: then `user` is null.
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

  /** Closes connections of strangers on which nothing has come for a while. */
  closeStrange(now = performance.now()): void {
    for (const from of [...this.#byAddress.keys()]) this.#thinOut(from, this.#limits.strangersPerAddress, now)
    for (const socket of this.#strangers.keys()) {
      const { newest, quietSince } = this.#all.get(socket)!
      // One that has sent nothing at all yet is given up by the server itself.
      if (newest?.writableFinished && now - quietSince > strangerMs) socket.destroy()
    }
  }

  /** Resolves when there are none. A server by itself waits only for those that came by its port. */
  async empty(): Promise<void> {
    if (this.#all.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve))
  }

  /** To be called for each request. */
  owes(socket: Socket, res: ServerResponse): void {
    const one = this.#all.get(socket)
    if (!one) return
    one.newest = res
    if (this.#strangers.has(socket)) res.once('finish', () => (one.quietSince = performance.now()))
  }

  /** Whether trouble on a connection can be answered: not in the place of an answer that is owed, nor within one. */
  canAnswer(socket: Socket): boolean {
    const newest = this.#all.get(socket)?.newest
    if (!newest || newest.writableFinished) return true
    // The trouble is then in the body of this very request. What follows a whole one is not about it any more.
    return !newest.req.complete && newest.socket !== null && !newest.headersSent
  }

  /** Closes those that owe no answer. Answers are given in order, so the newest is the last one owed. */
  closeQuiet(): void {
    for (const [socket, { newest }] of this.#all)
      if (newest === null || newest.writableFinished) socket.destroy()
  }
}

const first = <Item>(items: Iterable<Item>): Item | undefined => items[Symbol.iterator]().next().value

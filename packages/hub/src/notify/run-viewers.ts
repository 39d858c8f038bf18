import type { RunId, UserId } from '@farhand/protocol/wire/ids'

/** Clients repeat the message twice within this time, so that one lost request does no harm. */
const usuallyBelievedMs = 60_000
/** Pages repeat it every four seconds while their user types. */
const typingMs = 10_000
/** A client that makes up names must not fill the memory of the hub. */
const mostClients = 200

/** What a client reports of its user. */
export type Report = { user: UserId; client: string; isLooking: boolean; isTyping?: boolean }

type Seen = { user: UserId; until: number; typingUntil: number }

/** Which runs users are viewing, as their clients report it. Kept in memory only. */
export class RunViewers {
  readonly #clients = new Map<RunId, Map<string, Seen>>()
  readonly #believedMs: number
  readonly #listeners = new Set<(run: RunId, report: Report) => void>()

  constructor(believedMs = usuallyBelievedMs) {
    this.#believedMs = believedMs
  }

  /** Calls back with each report of a client. */
  onReport(listener: (run: RunId, report: Report) => void): void {
    this.#listeners.add(listener)
  }

  /** A client reports that its user views a run or has stopped. `now` must be monotonic. */
  say(run: RunId, report: Report, now: number): void {
    const { user, client, isLooking, isTyping } = report
    const clients = this.#clients.get(run) ?? new Map<string, Seen>()
    // With the user, so that no user can speak for the client of another.
    const name = `${user} ${client}`
    if (!isLooking) clients.delete(name)
    else if (clients.has(name) || clients.size < mostClients) {
      const typingUntil = isTyping ? now + typingMs : now
      this.#clients.set(run, clients.set(name, { user, until: now + this.#believedMs, typingUntil }))
    }
    this.#forget(run, clients, now)
    for (const listener of this.#listeners) listener(run, report)
  }

  /** For how long this user counts as viewing the run without a further report; null if none of their clients views it. */
  forMs(run: RunId, user: UserId, now: number): number | null {
    const own = this.#of(run, now).filter((seen) => seen.user === user)
    return own.length > 0 ? Math.max(...own.map(({ until }) => until)) - now : null
  }

  /** The users who view a run and who of them is typing, and after how many ms that changes without a further report. */
  present(run: RunId, now: number): { users: Map<UserId, boolean>; forMs: number | null } {
    const users = new Map<UserId, boolean>()
    let next = Number.POSITIVE_INFINITY
    for (const { user, until, typingUntil } of this.#of(run, now)) {
      const isTyping = typingUntil > now
      users.set(user, users.get(user) || isTyping)
      next = Math.min(next, isTyping ? typingUntil : until)
    }
    return { users, forMs: users.size > 0 ? next - now : null }
  }

  #of(run: RunId, now: number): Seen[] {
    const clients = this.#clients.get(run)
    if (!clients) return []
    this.#forget(run, clients, now)
    return [...clients.values()]
  }

  #forget(run: RunId, clients: Map<string, Seen>, now: number): void {
    for (const [client, { until }] of clients) if (until <= now) clients.delete(client)
    if (clients.size === 0) this.#clients.delete(run)
  }
}

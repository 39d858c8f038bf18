import type { RunId } from '@farhand/protocol/wire/ids'

/** Clients repeat the message twice within this time, so that one lost request does no harm. */
const usuallyBelievedMs = 60_000

/** Which runs users are viewing, as their clients report it. Kept in memory only. */
export class RunViewers {
  readonly #until = new Map<RunId, Map<string, number>>()
  readonly #believedMs: number
  /** Called with each report of a client. */
  heard: (run: RunId, isLooking: boolean) => void = () => {}

  constructor(believedMs = usuallyBelievedMs) {
    this.#believedMs = believedMs
  }

  /** A client reports that its user views a run or has stopped. `now` must be monotonic. */
  say(run: RunId, client: string, isLooking: boolean, now: number): void {
    const clients = this.#until.get(run) ?? new Map<string, number>()
    if (isLooking) this.#until.set(run, clients.set(client, now + this.#believedMs))
    else clients.delete(client)
    this.#forget(run, clients, now)
    this.heard(run, isLooking)
  }

  /** For how long the run counts as viewed without a further report; null if no client views it. */
  forMs(run: RunId, now: number): number | null {
    const clients = this.#until.get(run)
    if (!clients) return null
    this.#forget(run, clients, now)
    return clients.size > 0 ? Math.max(...clients.values()) - now : null
  }

  #forget(run: RunId, clients: Map<string, number>, now: number): void {
    for (const [client, until] of clients) if (until <= now) clients.delete(client)
    if (clients.size === 0) this.#until.delete(run)
  }
}

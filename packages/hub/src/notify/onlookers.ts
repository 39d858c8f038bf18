import type { RunId } from '@farhand/protocol/ids'

/** Said again twice within it, so that one lost request does no harm. */
const believedMs = 60_000

/** Who has which run before their eyes, as far as their clients say; nothing of it outlives the hub. */
export class Onlookers {
  readonly #until = new Map<RunId, Map<string, number>>()

  /** A client says that its person looks at a run, or no longer does. `now` only goes forward. */
  say(run: RunId, client: string, isLooking: boolean, now: number): void {
    const clients = this.#until.get(run) ?? new Map<string, number>()
    if (isLooking) this.#until.set(run, clients.set(client, now + believedMs))
    else clients.delete(client)
    this.#forget(run, clients, now)
  }

  isLooking(run: RunId, now: number): boolean {
    const clients = this.#until.get(run)
    if (!clients) return false
    this.#forget(run, clients, now)
    return clients.size > 0
  }

  #forget(run: RunId, clients: Map<string, number>, now: number): void {
    for (const [client, until] of clients) if (until <= now) clients.delete(client)
    if (clients.size === 0) this.#until.delete(run)
  }
}

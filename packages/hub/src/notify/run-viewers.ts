import type { RunId } from '@farhand/protocol/wire/ids'

/** Said again twice within it, so that one lost request does no harm. */
const usuallyBelievedMs = 60_000

/** Who has which run before their eyes, as far as their clients say; nothing of it outlives the hub. */
export class RunViewers {
  readonly #until = new Map<RunId, Map<string, number>>()
  readonly #believedMs: number
  /** Called with each word of a client. */
  heard: (run: RunId, isLooking: boolean) => void = () => {}

  constructor(believedMs = usuallyBelievedMs) {
    this.#believedMs = believedMs
  }

  /** A client says that its person looks at a run, or no longer does. `now` only goes forward. */
  say(run: RunId, client: string, isLooking: boolean, now: number): void {
    const clients = this.#until.get(run) ?? new Map<string, number>()
    if (isLooking) this.#until.set(run, clients.set(client, now + this.#believedMs))
    else clients.delete(client)
    this.#forget(run, clients, now)
    this.heard(run, isLooking)
  }

  /** For how long it is believed that somebody looks, if nothing more is heard; null if nobody does. */
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

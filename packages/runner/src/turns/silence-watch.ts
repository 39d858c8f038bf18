import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'

/** After how long a silence users are told; each once. */
const toldAfterMs = [20_000, 120_000, 600_000] as const

/**
 * Tells users when nothing was heard from an agent for a while. Some retry their model silently, and the run looks as
 * if it hung.
 */
export class SilenceWatch {
  readonly #name: string
  readonly #emit: (event: Notification) => void
  readonly #now: () => number
  #since: number
  #told = 0

  constructor(
    name: string,
    emit: (event: Notification) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#name = name
    this.#emit = emit
    this.#now = now
    this.#since = now()
  }

  /** The agent said something, or was sent something: the silence starts anew. */
  broken(): void {
    this.#since = this.#now()
    this.#told = 0
  }

  /** Reports the silence if it is long enough. An agent that waits for a tool or for a user has a reason to be silent. */
  look(hasReason: boolean): void {
    if (hasReason) this.broken()
    const afterMs = toldAfterMs[this.#told]
    if (afterMs === undefined || this.#now() - this.#since < afterMs) return
    this.#told += 1
    const message = `Nothing was heard from ${this.#name} for ${inWords(afterMs)}. It may be waiting for its model, or trying it again; cancel ends its turn.`
    this.#emit(event('console', { level: 'warn', message, about: 'silence' }))
  }
}

const inWords = (ms: number) => (ms < 120_000 ? `${ms / 1000} seconds` : `${ms / 60_000} minutes`)

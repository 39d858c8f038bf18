import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'

/** After how long without a word people are told so, each once. */
const toldAfterMs = [20_000, 120_000, 600_000] as const

/**
 * Tells people that nothing was heard from an agent for a while. Some try their model again and again without a word, and
 * a run in which that happens looks as if it had hung.
 */
export class SilenceWatch {
  readonly #name: string
  readonly #say: (event: Notification) => void
  readonly #now: () => number
  #since: number
  #told = 0

  constructor(name: string, say: (event: Notification) => void, now: () => number = () => performance.now()) {
    this.#name = name
    this.#say = say
    this.#now = now
    this.#since = now()
  }

  /** The agent said something, or was told something. */
  broken(): void {
    this.#since = this.#now()
    this.#told = 0
  }

  /** Looks whether there is something to tell. One that waits for a tool or for a person has a reason to be silent. */
  look(hasReason: boolean): void {
    if (hasReason) this.broken()
    const afterMs = toldAfterMs[this.#told]
    if (afterMs === undefined || this.#now() - this.#since < afterMs) return
    this.#told += 1
    const message = `Nothing was heard from ${this.#name} for ${inWords(afterMs)}. It may be waiting for its model, or trying it again; cancel ends its turn.`
    this.#say(event('console', { level: 'warn', message, about: 'silence' }))
  }
}

const inWords = (ms: number) => (ms < 120_000 ? `${ms / 1000} seconds` : `${ms / 60_000} minutes`)

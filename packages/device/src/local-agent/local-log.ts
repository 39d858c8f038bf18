import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenAuthor, SeenEvent } from '@farhand/protocol/wire/seen-event'

type Listener = (event: SeenEvent) => void

/** An in-memory log: events are numbered, and each listener gets each event once, in order. */
export class LocalLog {
  readonly #onFault: (error: unknown) => void
  readonly #listeners = new Set<Listener>()
  readonly #untold: SeenEvent[] = []
  #isTelling = false
  #lastEventId = 0

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault
  }

  /** Appends an event; `fold` gets it before the listeners. */
  append(notification: Notification, by: SeenAuthor, fold: Listener): SeenEvent {
    this.#lastEventId += 1
    const timestamp = new Date().toISOString()
    const event: SeenEvent = { id: this.#lastEventId, type: 'notification', timestamp, notification, by }
    fold(event)
    this.#untold.push(event)
    this.#tell()
    return event
  }

  /** Returns the function that ends it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  #tell(): void {
    // Otherwise, when a listener appends an event itself, the others would get that one first.
    if (this.#isTelling) return
    this.#isTelling = true
    for (let event = this.#untold.shift(); event; event = this.#untold.shift()) {
      for (const listener of this.#listeners) {
        try {
          listener(event)
        } catch (error) {
          this.#onFault(error)
        }
      }
    }
    this.#isTelling = false
  }
}

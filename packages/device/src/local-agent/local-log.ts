import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenAuthor, SeenEvent } from '@farhand/protocol/wire/seen-event'

type Listener = (event: SeenEvent) => void

/** The log of an agent without a hub: events have numbers and an order, and whoever listens hears each of them once. */
export class LocalLog {
  readonly #onFault: (error: unknown) => void
  readonly #listeners = new Set<Listener>()
  readonly #untold: SeenEvent[] = []
  #isTelling = false
  #lastEventId = 0

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault
  }

  /** Gives an event its place; `fold` knows of it before anybody else does. */
  append(notification: Notification, by: SeenAuthor, fold: Listener): SeenEvent {
    this.#lastEventId += 1
    const timestamp = new Date().toISOString()
    const event: SeenEvent = { id: this.#lastEventId, type: 'notification', timestamp, notification, by }
    fold(event)
    this.#untold.push(event)
    this.#tell()
    return event
  }

  /** Until the function it answers with is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  #tell(): void {
    // A listener that says something itself would otherwise make the others hear the reply first.
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

import type { Notification } from '@farhand/protocol/wire/event'
import type { EventSender } from './event-sender.ts'
import { RedactedEvents } from './redacted-events.ts'
import type { Redaction } from './redaction.ts'

type EventWriterParts = {
  redaction: Redaction
  /** Called with every event, without secrets, before it is sent. */
  takeOwn: (event: Notification) => void
  /** Called when so much waits to be sent that the agent's output should be paused. */
  pauseReading: () => void
}

/** Writes a runner's events to the log, in order and without secrets; the runner's own folds take them at once. */
export class EventWriter {
  readonly #parts: EventWriterParts
  readonly #redacted: RedactedEvents
  #sender: Pick<EventSender, 'send' | 'stored' | 'isFull'> | null = null
  #lastEntry = -1

  constructor(parts: EventWriterParts) {
    this.#parts = parts
    this.#redacted = new RedactedEvents(parts.redaction)
  }

  /** Writing is possible from here on, when the unsent events of an earlier runner are known. */
  open(sender: Pick<EventSender, 'send' | 'stored' | 'isFull'>): void {
    this.#sender = sender
  }

  emit(event: Notification): void {
    const sender = this.#sender!
    for (const clean of this.#redacted.take(event)) {
      this.#parts.takeOwn(clean)
      this.#lastEntry = sender.send(clean)
      if (sender.isFull) this.#parts.pauseReading()
    }
  }

  /** Resolves when all events so far are in the log. */
  async stored(): Promise<void> {
    if (this.#lastEntry >= 0) await this.#sender!.stored(this.#lastEntry)
  }
}

import type { Notification } from '@farhand/protocol/wire/event'
import type { EventSender } from './event-sender.ts'
import { RedactedEvents } from './redacted-events.ts'
import type { Redaction } from './redaction.ts'

type VoiceParts = {
  redaction: Redaction
  /** Told of all that is said, without secrets, and before anybody else knows of it. */
  takeOwn: (event: Notification) => void
  /** So much waits to be stored that whoever speaks should be quiet for a while. */
  pauseReading: () => void
}

/** What a runner says: without secrets, known to itself at once, and in the log in this order. */
export class EventWriter {
  readonly #parts: VoiceParts
  readonly #redacted: RedactedEvents
  #sender: Pick<EventSender, 'say' | 'stored' | 'isFull'> | null = null
  #lastEntry = -1

  constructor(parts: VoiceParts) {
    this.#parts = parts
    this.#redacted = new RedactedEvents(parts.redaction)
  }

  /** From now on it can speak, and not before: nobody knows yet what is to be said first. */
  open(sender: Pick<EventSender, 'say' | 'stored' | 'isFull'>): void {
    this.#sender = sender
  }

  say(event: Notification): void {
    const sender = this.#sender!
    for (const clean of this.#redacted.take(event)) {
      this.#parts.takeOwn(clean)
      this.#lastEntry = sender.say(clean)
      if (sender.isFull) this.#parts.pauseReading()
    }
  }

  /** Resolves when all that was said so far is in the log. */
  async stored(): Promise<void> {
    if (this.#lastEntry >= 0) await this.#sender!.stored(this.#lastEntry)
  }
}

import { eventsNamed } from '@farhand/protocol/events/event-names'
import { ConversationEvents } from '@farhand/protocol/runs/conversation-events'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { Briefing } from './briefing.ts'

/** A rewind does not remove a waiting message. */
const isOfMessages = eventsNamed('user_message', 'message_edit')

/** The part of a run that an agent may be briefed about: everything except what a rewind has taken back (W39). */
export class Conversation {
  readonly #readLog: () => AsyncIterable<SeenEvent>
  readonly #place = new ConversationEvents()
  #briefing = new Briefing()
  /** The rewind that the current briefing takes into account. */
  #madeFor = 0
  #cursor = 0
  /** Events that came while a new briefing was being built. */
  #meanwhile: ((briefing: Briefing) => void)[] | null = null

  constructor(readLog: () => AsyncIterable<SeenEvent>) {
    this.#readLog = readLog
  }

  /** Takes the next event of the log. */
  take(event: SeenEvent): void {
    this.#cursor = event.id
    this.#place.take(event)
    this.#tell((briefing) => briefing.take(event))
  }

  /** Takes an event that this runner writes itself and does not read back (W17). */
  takeOwn(notification: Notification): void {
    this.#tell((briefing) => briefing.takeOwn(notification))
  }

  /** The briefing for a new agent. After a rewind the log is read again, as the current briefing cannot be undone. */
  async briefing(): Promise<Briefing> {
    while (this.#madeFor !== this.#place.rewoundAt) {
      const madeFor = this.#place.rewoundAt
      const meanwhile: ((briefing: Briefing) => void)[] = []
      this.#meanwhile = meanwhile
      const briefing = await this.#madeAnew(this.#cursor)
      for (const tell of meanwhile) tell(briefing)
      this.#briefing = briefing
      this.#madeFor = madeFor
    }
    this.#meanwhile = null
    return this.#briefing
  }

  async #madeAnew(upTo: number): Promise<Briefing> {
    const briefing = new Briefing()
    // This runner does not read back all events of a turn: which of them came too late shows only here.
    const asItWas = new ConversationEvents()
    for await (const event of this.#readLog()) {
      if (event.id > upTo) break
      asItWas.take(event)
      const isPart = asItWas.has(event.id) && this.#place.has(event.id)
      if (isPart || isOfMessages(event.notification)) briefing.take(event)
    }
    return briefing
  }

  #tell(tell: (briefing: Briefing) => void): void {
    tell(this.#briefing)
    this.#meanwhile?.push(tell)
  }
}

import { eventsNamed } from '@farhand/protocol/events/event-names'
import { ConversationEvents } from '@farhand/protocol/runs/conversation-events'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { Briefing } from './briefing.ts'

/** A message that waits is not taken away with what was said around it. */
const isOfMessages = eventsNamed('user_message', 'message_edit')

/** What an agent may be told of its run: all that was said and done, without what a rewind has taken away (W39). */
export class Conversation {
  readonly #readLog: () => AsyncIterable<SeenEvent>
  readonly #place = new ConversationEvents()
  #briefing = new Briefing()
  /** The rewind that the briefing is made for. */
  #madeFor = 0
  #cursor = 0
  /** What came while a new briefing is made. */
  #meanwhile: ((briefing: Briefing) => void)[] | null = null

  constructor(readLog: () => AsyncIterable<SeenEvent>) {
    this.#readLog = readLog
  }

  /** Takes one more event of the log, in their order. */
  take(event: SeenEvent): void {
    this.#cursor = event.id
    this.#place.take(event)
    this.#tell((briefing) => briefing.take(event))
  }

  /** Takes what this very runner says and does not read back (W17). */
  takeOwn(notification: Notification): void {
    this.#tell((briefing) => briefing.takeOwn(notification))
  }

  /** What a new agent has to know. After a rewind the log is read once more: what it takes back was forgotten long ago. */
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
    // Of a turn's own words not all are read back: which of them came too late is seen only here.
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

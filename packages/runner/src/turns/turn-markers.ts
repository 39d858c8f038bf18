import { eventsNamed, isEvent } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** What a runner reads back of its own when it asks for its orders only (W17). */
const isMark = eventsNamed('ack', 'turn_complete', 'agent_question', 'question_closed')

type Waiting = { key: string; heard: () => void; failed: (why: unknown) => void }

/** What a mark is about: two of one kind about the same thing come back in the order in which they were said. */
function keyOf({ method, params = {} }: Notification): string {
  return `${method} ${params.questionId ?? params.messageId ?? params.id}`
}

/** Says marks and waits until they are read back: then every order that stands before them in the log is known. */
export class TurnMarkers {
  readonly #say: (event: Notification) => void
  readonly #generation: number
  readonly #waiting: Waiting[] = []
  /** Messages that were taken on, and whose end was not said. */
  readonly unended = new Set<number>()
  #over: { why: unknown } | null = null
  #isAlone = false

  constructor(generation: number, say: (event: Notification) => void) {
    this.#generation = generation
    this.#say = say
  }

  /** Resolves when the mark was read back; rejects if the hub would not have it. */
  mark(event: Notification): Promise<void> {
    if (this.#over) return Promise.reject(this.#over.why)
    if (isEvent(event, 'ack')) this.unended.add(Number(event.params?.id))
    if (isEvent(event, 'turn_complete')) this.unended.delete(Number(event.params?.messageId))
    if (this.#isAlone) {
      this.#say(event)
      return Promise.resolve()
    }
    return new Promise((heard, failed) => {
      this.#waiting.push({ key: keyOf(event), heard, failed })
      this.#say(event)
    })
  }

  heard({ by, notification }: SeenEvent): void {
    if (by.kind !== 'runner' || by.generation !== this.#generation) return
    if (isMark(notification)) this.#take(notification)?.heard()
  }

  /** The hub would not have this event: it will not come back. */
  refused(event: Notification, why: unknown): void {
    if (isMark(event)) this.#take(event)?.failed(why)
  }

  /** Nobody gives orders any more: what is said need not be read back. */
  alone(): void {
    this.#isAlone = true
    for (const waiting of this.#waiting.splice(0)) waiting.heard()
  }

  /** Nothing can be said any more. */
  end(why: unknown): void {
    this.#over ??= { why }
    for (const waiting of this.#waiting.splice(0)) waiting.failed(why)
  }

  #take(event: Notification): Waiting | undefined {
    const key = keyOf(event)
    const at = this.#waiting.findIndex((waiting) => waiting.key === key)
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0]
  }
}

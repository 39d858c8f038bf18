import { eventsNamed, isEvent } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** The events that a runner reads back of its own while it follows only its orders (W17). */
const isMark = eventsNamed('ack', 'turn_complete', 'agent_question', 'question_closed')

type Waiting = { key: string; heard: () => void; failed: (why: unknown) => void }

/** What a marker is about. Two of one kind about the same thing come back in the order in which they were written. */
function keyOf({ method, params = {} }: Notification): string {
  return `${method} ${params.questionId ?? params.messageId ?? params.id}`
}

/**
 * Writes turn markers and waits until they are read back: then the runner knows every order that is before them in
 * the log.
 */
export class TurnMarkers {
  readonly #emit: (event: Notification) => void
  readonly #generation: number
  readonly #waiting: Waiting[] = []
  /** Messages with an ack and without an end. */
  readonly unended = new Set<number>()
  #over: { why: unknown } | null = null
  #isAlone = false

  constructor(generation: number, emit: (event: Notification) => void) {
    this.#generation = generation
    this.#emit = emit
  }

  /** Resolves when the marker was read back; rejects if the hub refused it. */
  mark(event: Notification): Promise<void> {
    if (this.#over) return Promise.reject(this.#over.why)
    if (isEvent(event, 'ack')) this.unended.add(Number(event.params?.id))
    if (isEvent(event, 'turn_complete')) this.unended.delete(Number(event.params?.messageId))
    if (this.#isAlone) {
      this.#emit(event)
      return Promise.resolve()
    }
    return new Promise((heard, failed) => {
      this.#waiting.push({ key: keyOf(event), heard, failed })
      this.#emit(event)
    })
  }

  heard({ by, notification }: SeenEvent): void {
    if (by.kind !== 'runner' || by.generation !== this.#generation) return
    if (isMark(notification)) this.#take(notification)?.heard()
  }

  /** The hub refused this event: it will not come back. */
  refused(event: Notification, why: unknown): void {
    if (isMark(event)) this.#take(event)?.failed(why)
  }

  /** The run is closing, so no more orders come: markers need not be read back. */
  alone(): void {
    this.#isAlone = true
    for (const waiting of this.#waiting.splice(0)) waiting.heard()
  }

  /** Nothing can be written any more: rejects all waits. */
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

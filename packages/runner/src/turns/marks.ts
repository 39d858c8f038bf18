import type { Notification } from '@farhand/protocol/event'
import type { SeenEvent } from '@farhand/protocol/seen-event'

/** What a runner reads back of its own when it asks for its orders only (W17). */
const markMethods = new Set([
  '_posthog/ack',
  '_posthog/turn_complete',
  '_posthog/agent_question',
  '_posthog/question_closed',
])

type Waiting = { heard: () => void; failed: (why: unknown) => void }

/** Says marks and waits until they are read back: then every order that stands before them in the log is known. */
export class Marks {
  readonly #say: (event: Notification) => void
  readonly #generation: number
  /** In the order in which they were said, which is that of the log. */
  readonly #waiting: (Waiting | null)[] = []
  #over: { why: unknown } | null = null
  #isAlone = false

  constructor(generation: number, say: (event: Notification) => void) {
    this.#generation = generation
    this.#say = say
  }

  /** Says anything; what comes back is counted. */
  say(event: Notification): void {
    if (markMethods.has(event.method)) this.#waiting.push(null)
    this.#say(event)
  }

  /** Says a mark. Resolves when it was read back. */
  mark(event: Notification): Promise<void> {
    if (this.#over) return Promise.reject(this.#over.why)
    if (this.#isAlone) {
      this.#say(event)
      return Promise.resolve()
    }
    return new Promise((heard, failed) => {
      this.#waiting.push({ heard, failed })
      this.#say(event)
    })
  }

  heard({ by, notification: { method } }: SeenEvent): void {
    if (by.kind !== 'runner' || by.generation !== this.#generation || !markMethods.has(method)) return
    this.#waiting.shift()?.heard()
  }

  /** Nobody gives orders any more: what is said need not be read back. */
  alone(): void {
    this.#isAlone = true
    for (const waiting of this.#waiting.splice(0)) waiting?.heard()
  }

  /** Nothing can be said any more. */
  end(why: unknown): void {
    this.#over ??= { why }
    for (const waiting of this.#waiting.splice(0)) waiting?.failed(why)
  }
}

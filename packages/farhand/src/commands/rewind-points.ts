import { eventName } from '@farhand/protocol/events/event-names'
import { Ack, UserMessage } from '@farhand/protocol/methods/conversation'
import { ConversationEvents } from '@farhand/protocol/runs/conversation-events'
import { foldRunView } from '@farhand/protocol/runs/fold-run-view'
import { emptyRunView } from '@farhand/protocol/runs/run-view'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { RecordedChanges } from '@farhand/sync/history/recorded-changes'

/** A moment that one may want to go back to: right before the agent began with a message. */
export type RewindPoint = {
  /** The event to go back to. */
  to: number
  messageId: number
  /** When the message was sent, as ISO 8601. */
  at: string
  text: string
  /** How many files the agent changed because of it. */
  files: number
  /** Whether the agent of today knows of it, or a rewind has taken it away. */
  isPart: boolean
}

/** What the pause of a rewind says, so that the next one knows that nobody else wants it. */
export const forRewind = 'rewind'

/** The moments of a run that have a name: a fold over its log. */
export class RewindPoints {
  readonly #place = new ConversationEvents()
  readonly #changes = new RecordedChanges()
  readonly #messages = new Map<number, { text: string; at: string }>()
  readonly #begun = new Map<number, number>()
  #view = emptyRunView
  #newest = 0
  #isPausedForRewind = false

  take(event: SeenEvent): void {
    const { id, timestamp, notification } = event
    this.#newest = id
    this.#place.take(event)
    this.#changes.take(event)
    this.#view = foldRunView(this.#view, event)
    const { method, params } = notification
    const name = eventName(method)
    if (name === 'pause') this.#isPausedForRewind = params?.for === forRewind
    const message = name === 'user_message' ? UserMessage.safeParse(params).data : undefined
    if (message) this.#messages.set(id, { text: message.content, at: timestamp })
    const ack = name === 'ack' ? Ack.safeParse(params).data : undefined
    // What is said into a turn is a part of that, and one that is taken on again was begun before.
    if (ack && ack.into === undefined && !this.#begun.has(ack.id)) this.#begun.set(ack.id, id)
  }

  /** The event up to which this is true. */
  get newest(): number {
    return this.#newest
  }

  /** Whether nothing begins in this run; and if so, whether only because a rewind is under way, or was cut short. */
  get isPaused(): false | 'for-rewind' | 'by-person' {
    if (this.#view.status !== 'paused') return false
    return this.#isPausedForRewind ? 'for-rewind' : 'by-person'
  }

  /** The messages that an agent is at work on now. */
  get openTurns(): number[] {
    return this.#view.openTurns.map(({ messageId }) => messageId)
  }

  /** How many messages the agent of today knows of that one of then did not, and the other way round. */
  differing(to: number): { forgotten: number; known: number } {
    const acks = [...this.#begun.values()]
    const is = (ack: number) => this.#place.has(ack)
    const was = (ack: number) => this.#place.has(ack, to)
    return {
      forgotten: acks.filter((ack) => is(ack) && !was(ack)).length,
      known: acks.filter((ack) => was(ack) && !is(ack)).length,
    }
  }

  /** Oldest first. */
  all(): RewindPoint[] {
    const paths = new Map<number, Set<string>>()
    for (const { turn, turned } of this.#changes.all) {
      if (turn === null) continue
      const touched = paths.get(turn) ?? new Set()
      paths.set(turn, touched)
      for (const { path } of turned) touched.add(path)
    }
    return [...this.#begun].flatMap(([messageId, ack]) => {
      const message = this.#messages.get(messageId)
      const files = paths.get(messageId)?.size ?? 0
      return message ? [{ to: ack - 1, messageId, ...message, files, isPart: this.#place.has(ack) }] : []
    })
  }
}

import { eventName } from '@farhand/protocol/events/event-names'
import { Ack, UserMessage } from '@farhand/protocol/methods/conversation'
import { ConversationEvents } from '@farhand/protocol/runs/conversation-events'
import { foldRunView } from '@farhand/protocol/runs/fold-run-view'
import { emptyRunView } from '@farhand/protocol/runs/run-view'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { RecordedChanges } from '@farhand/sync/history/recorded-changes'

/** A point to go back to: right before the agent began with a message. */
export type RewindPoint = {
  /** The event to go back to. */
  to: number
  messageId: number
  /** When the message was sent, as ISO 8601. */
  at: string
  text: string
  /** How many files the agent changed because of it. */
  files: number
  /** Whether the message is still in the conversation; a rewind may have removed it. */
  isPart: boolean
}

/** Marks the pause of a rewind, so that an interrupted rewind's pause is not taken for the user's. */
export const forRewind = 'rewind'

/** The points of a run to go back to: a fold over its log. */
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
    // A steered message belongs to another turn, and one acknowledged again was begun before.
    if (ack && ack.into === undefined && !this.#begun.has(ack.id)) this.#begun.set(ack.id, id)
  }

  /** The newest event taken. */
  get newest(): number {
    return this.#newest
  }

  /** Whether the run is paused, and if so, by a user or by a rewind, which may have been interrupted. */
  get isPaused(): false | 'for-rewind' | 'by-person' {
    if (this.#view.status !== 'paused') return false
    return this.#isPausedForRewind ? 'for-rewind' : 'by-person'
  }

  /** The messages that the agent works on now. */
  get openTurns(): number[] {
    return this.#view.openTurns.map(({ messageId }) => messageId)
  }

  /** How many messages the conversation loses by going back to this event, and how many it gets back. */
  differing(to: number): { forgotten: number; known: number } {
    const acks = [...this.#begun.values()]
    const is = (ack: number) => this.#place.has(ack)
    const was = (ack: number) => this.#place.has(ack, to)
    return {
      forgotten: acks.filter((ack) => is(ack) && !was(ack)).length,
      known: acks.filter((ack) => was(ack) && !is(ack)).length,
    }
  }

  /** All points, oldest first. */
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

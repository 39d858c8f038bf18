import { eventName } from '@farhand/protocol/events/event-names'
import { fileIntents } from '@farhand/protocol/files/file-intents'
import { FileVersions } from '@farhand/protocol/files/file-versions'
import { Ack, TurnComplete } from '@farhand/protocol/methods/conversation'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { PathChange, RecordedChange, Undoes } from './step-to-undo.ts'

/** Every event of a log that changed files, and every version they left: a fold over its events in order. */
export class RecordedChanges {
  readonly versions = new FileVersions()
  readonly all: RecordedChange[] = []
  #turn: number | null = null
  #hasMessage = false
  #firstTurn: number | null = null

  /**
   * Events before this one cannot be the agent's work, because it had not begun yet; 0 if the run never got a message, and so
   * is only a folder that is kept in sync.
   */
  get beganBefore(): number {
    return this.#hasMessage ? (this.#firstTurn ?? Number.POSITIVE_INFINITY) : 0
  }

  get cursor(): number {
    return this.versions.cursor
  }

  take(event: SeenEvent): void {
    const { id: eventId, by, notification, timestamp } = event
    this.#follow(event)
    const { changes } = this.versions.take(event)
    const undoes = undoesIn(notification.params)
    if (changes.length === 0 && !undoes) return
    const said = new Map(fileIntents(notification).map((intent) => [intent.path, intent.was]))
    // Where the log has never spoken of a path before, its writer is believed about what was there.
    const turned = changes.map(
      ({ path, before, entry }): PathChange => ({
        path,
        before: before === undefined ? said.get(path) : before,
        after: entry,
      }),
    )
    const turn = by.kind === 'runner' ? this.#turn : null
    this.all.push({ eventId, atMs: Date.parse(timestamp), by, turn, turned, undoes })
  }

  #follow({ id, by, notification: { method, params } }: SeenEvent): void {
    const name = eventName(method)
    if (name === 'user_message') this.#hasMessage = true
    if (by.kind !== 'runner') return
    if (name === 'ack') {
      this.#firstTurn ??= id
      const ack = Ack.safeParse(params).data
      this.#turn = ack?.into ?? ack?.id ?? this.#turn
    }
    if (name === 'turn_complete' && TurnComplete.safeParse(params).success) this.#turn = null
  }
}

/** Which events an event undoes; null if it is no undo. */
function undoesIn(params: Record<string, unknown> | undefined): Undoes | null {
  const said = params?.undoes as Partial<Record<keyof Undoes, unknown>> | null | undefined
  if (typeof said?.from !== 'number' || typeof said.to !== 'number') return null
  return { from: said.from, to: said.to, ...(said.everyone === true && { everyone: true }) }
}

import { type TurnPlace, turnPlace } from '@farhand/protocol/runs/turn-place'
import type { Notification } from '@farhand/protocol/wire/event'

export type Room = {
  mostBytes: number
  /** Called when the buffer was full and at least half of it has been read. */
  onRoom: () => void
}

/**
 * Buffers the events of one message's turn, from its acknowledgement to its end, until they are read. No event is
 * refused: while `isFull`, the writer should pause.
 */
export class TurnEvents {
  readonly #messageId: number
  readonly #room: Room
  #place: TurnPlace = 'before'
  #heard: { event: Notification; bytes: number }[] = []
  #bytes = 0
  isFull = false
  #failed: { why: unknown } | null = null
  #wake = () => {}

  constructor(messageId: number, room: Room) {
    this.#messageId = messageId
    this.#room = room
  }

  /** Takes any event; those outside the turn are dropped. */
  take(event: Notification): void {
    if (this.#place === 'over') return
    this.#place = turnPlace(this.#place, event, this.#messageId)
    if (this.#place === 'before') return
    const bytes = JSON.stringify(event).length
    this.#heard.push({ event, bytes })
    this.#bytes += bytes
    this.isFull ||= this.#bytes > this.#room.mostBytes
    this.#wake()
  }

  /** Ends the turn with an error, which the reader gets after the buffered events. */
  fail(why: unknown): void {
    this.#failed ??= { why }
    this.#wake()
  }

  /** The events; to be called once. */
  async *read(): AsyncGenerator<Notification, void, undefined> {
    for (;;) {
      const heard = this.#heard
      this.#heard = []
      for (const { event, bytes } of heard) {
        this.#free(bytes)
        yield event
      }
      if (this.#heard.length > 0) continue
      if (this.#place === 'over') return
      if (this.#failed) throw this.#failed.why
      await new Promise<void>((wake) => {
        this.#wake = wake
      })
    }
  }

  #free(bytes: number): void {
    this.#bytes -= bytes
    if (!this.isFull || this.#bytes > this.#room.mostBytes / 2) return
    this.isFull = false
    this.#room.onRoom()
  }
}

import { type TurnPlace, turnPlace } from '@farhand/protocol/runs/turn-place'
import type { Notification } from '@farhand/protocol/wire/event'

export type Room = {
  mostBytes: number
  /** It was full, and at least half of that has been read. */
  onRoom: () => void
}

/**
 * The events of the turn of one message, from its ack to its end, kept until somebody reads them. None is refused: who
 * says more while it is full has to wait by themselves.
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

  /** Takes one more event, of whichever turn; those after the end are not kept. */
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

  /** No more will come: whoever reads is told why, once they have read what there is. */
  fail(why: unknown): void {
    this.#failed ??= { why }
    this.#wake()
  }

  /** To be read once. */
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

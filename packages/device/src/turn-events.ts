import type { Notification } from '@farhand/protocol/event'
import { type TurnPlace, turnPlace } from '@farhand/protocol/turn-place'

/** The events of the turn of one message, from its ack to its end, kept until somebody reads them. */
export class TurnEvents {
  readonly #messageId: number
  #place: TurnPlace = 'before'
  #heard: Notification[] = []
  #failed: { why: unknown } | null = null
  #wake = () => {}

  constructor(messageId: number) {
    this.#messageId = messageId
  }

  /** Takes one more event, of whichever turn; those after the end are not kept. */
  take(event: Notification): void {
    if (this.#place === 'over') return
    this.#place = turnPlace(this.#place, event, this.#messageId)
    if (this.#place === 'before') return
    this.#heard.push(event)
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
      yield* heard
      if (this.#heard.length > 0) continue
      if (this.#place === 'over') return
      if (this.#failed) throw this.#failed.why
      await new Promise<void>((wake) => {
        this.#wake = wake
      })
    }
  }
}

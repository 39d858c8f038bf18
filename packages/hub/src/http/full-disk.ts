import type { Fault } from '@farhand/protocol/wire/faults'
import type { Logger } from 'pino'

/** Everybody who is refused comes back within seconds, for as long as it lasts. */
const saidAgainMs = 10 * 60_000

/** Tells whoever runs the hub that there is no room left, with the first refusal and then seldom. */
export class FullDisk {
  readonly #logger: Pick<Logger, 'error'>
  readonly #data: string
  #saidAt = Number.NEGATIVE_INFINITY

  constructor(logger: Pick<Logger, 'error'>, data: string) {
    this.#logger = logger
    this.#data = data
  }

  refused({ code }: Pick<Fault, 'code'>, nowMs: number): void {
    if (code !== 'storage.full' || nowMs - this.#saidAt < saidAgainMs) return
    this.#saidAt = nowMs
    this.#logger.error(
      `no room left on ${this.#data}: what is sent here is refused until some is free; then it goes on by itself`,
    )
  }
}

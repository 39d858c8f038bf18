import type { Fault } from '@farhand/protocol/wire/faults'
import type { Logger } from 'pino'

/** Refused clients retry within seconds while the disk is full, so the message is not repeated for each. */
const saidAgainMs = 10 * 60_000

/** Logs for the operator that the disk is full: at the first refusal, and then at most every 10 minutes. */
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

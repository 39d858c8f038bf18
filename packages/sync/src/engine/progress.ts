import type { Ledger } from './ledger.ts'
import type { Receiving } from './receiving.ts'
import type { Sending } from './sending.ts'
import type { SyncNote } from './sync-notes.ts'
import type { Timing } from './timing.ts'

const progressEveryMs = 200

type Parts = {
  ledger: Ledger
  sending: Sending
  receiving: Receiving
  timing: Timing
  on: (note: SyncNote) => void
}

/** Reports progress: now and then while there is something to do, and when folder and run are in sync. */
export class Progress {
  readonly #parts: Parts
  #wasInStep = false
  #waiting = 0
  #leftOut = 0
  #onlyHere = 0
  #lastTold = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Says what is news. `isFound` if all of the disk has been seen. Returns whether folder and run have just come in sync. */
  tell(isFound: boolean): boolean {
    const { ledger, sending, receiving, on } = this.#parts
    const isInStep = isFound && ledger.isSettled && sending.isIdle && receiving.isIdle
    const { blockedCount: waiting, leftOutCount: leftOut, onlyHereCount: onlyHere } = ledger
    const isSame = this.#waiting === waiting && this.#leftOut === leftOut && this.#onlyHere === onlyHere
    const isNews = isInStep && !(this.#wasInStep && isSame)
    if (!isInStep && this.#isWorthTelling()) this.#tellHowFar()
    else if (isNews) {
      const { count: files, cursor } = ledger.trees
      on({ is: 'in-step', files, cursor, waiting, leftOut, onlyHere })
      sending.sent = 0
      receiving.applied = 0
    }
    this.#wasInStep = isInStep
    this.#waiting = waiting
    this.#leftOut = leftOut
    this.#onlyHere = onlyHere
    return isNews
  }

  /** Bytes of a large content were transferred: nothing else may happen for minutes. */
  moved(): void {
    if (this.#isWorthTelling()) this.#tellHowFar()
  }

  #tellHowFar(): void {
    const { ledger, sending, receiving, on } = this.#parts
    const toSend = ledger.sendCount + ledger.toKeep.size + sending.underWay
    const toApply = ledger.toReceive.size + receiving.underWay
    const [up, down] = [sending.bytes.now, receiving.bytes.now]
    const bytes = { ...(up && { up }), ...(down && { down }) }
    on({ is: 'progress', toSend, sent: sending.sent, toApply, applied: receiving.applied, ...bytes })
  }

  /** Work that is done at once needs no progress report. */
  #isWorthTelling(): boolean {
    const now = this.#parts.timing.now()
    if (this.#wasInStep) this.#lastTold = now
    if (now - this.#lastTold < progressEveryMs) return false
    this.#lastTold = now
    return true
  }
}

import type { FollowState } from '@farhand/client/follow/follow'
import type { CallOptions } from '@farhand/client/requests/call'
import { Refusal } from '@farhand/client/requests/refusal'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import type { RunScreen } from '../run-screen/run-screen.ts'

/** Tracks whether the hub answers, tells the user when that changes, and sends again what the hub has not taken. */
export class HubAway {
  readonly #screen: RunScreen
  /** How many typed lines the hub has not confirmed. */
  #unsent = 0
  isAway = false
  readonly #onAway = new Set<() => void>()

  constructor(screen: RunScreen) {
    this.#screen = screen
  }

  /** Takes the state of the log's reader. A first failure is not shown: most broken connections come back at once. */
  reach(state: FollowState): void {
    const isAway = state.is === 'offline' || (state.is === 'retrying' && state.failures > 1)
    if (!isAway || this.isAway) return
    this.isAway = true
    for (const tell of this.#onAway) tell()
    this.#onAway.clear()
    this.#screen.waits('The hub does not answer; trying again until it does.')
  }

  /** Resolves when the hub does not answer; at once if it does not answer now. */
  whenAway(): Promise<void> {
    return this.isAway ? Promise.resolve() : new Promise((resolve) => void this.#onAway.add(resolve))
  }

  /** The hub has sent something. */
  isThere(isIdle: boolean): void {
    if (!this.isAway) return
    this.isAway = false
    this.#screen.waits(null)
    this.#screen.sayBetween('The hub answers again.')
    if (!isIdle) this.#screen.status('working')
  }

  /** Sends until the hub takes it, and tells the user while it waits. */
  async send<Result>(signal: AbortSignal, send: (options: CallOptions) => Promise<Result>): Promise<Result> {
    let failures = 0
    const onTrouble = (trouble: unknown) => {
      failures += 1
      if (failures !== (this.isAway ? 1 : 2)) return
      const why =
        trouble instanceof Refusal
          ? `The hub says: ${lineInWords(trouble.message)}`
          : 'The hub does not answer'
      this.#screen.say(`${why}; this waits here and is sent when the hub takes it.`)
      this.#screen.status('waiting for the hub')
    }
    this.#unsent += 1
    try {
      return await send({ signal, patienceMs: Number.POSITIVE_INFINITY, onTrouble })
    } finally {
      this.#unsent -= 1
    }
  }

  /** The user leaves: tells them if lines were not sent. */
  leave(): void {
    if (this.#unsent > 0 && this.isAway)
      this.#screen.say('What waited here was not sent, as far as is known.')
  }
}

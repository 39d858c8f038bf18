import type { Hub } from '@farhand/client/requests/hub'
import { lookAtRun } from '@farhand/client/resources/run-preferences'
import { type RunId, randomName } from '@farhand/protocol/wire/ids'

/** Well within the minute for which the hub believes it. */
const againMs = 20_000
/** A user who types nothing for this long may have left: notifications go to their phone again. */
const stillMs = 2 * 60_000
/** Leaving does not wait longer for a hub that does not answer. */
const leaveMs = 1000

/**
 * Tells the hub that the user is looking at a run in this terminal, so that it sends them no notifications about it
 * (W49).
 */
export class Presence {
  readonly #hub: Hub
  readonly #run: RunId
  readonly #now: () => number
  readonly #client = randomName(16)
  readonly #timer: NodeJS.Timeout
  #lastSign: number
  #isSaid = false

  constructor(hub: Hub, run: RunId, now: () => number = () => performance.now()) {
    this.#hub = hub
    this.#run = run
    this.#now = now
    this.#lastSign = now()
    this.#timer = setInterval(() => this.look(), againMs).unref()
    this.look()
  }

  /** The user has typed something. */
  sign(): void {
    this.#lastSign = this.#now()
    if (!this.#isSaid) this.look()
  }

  /** Tells the hub again; also when a hub has just restarted, which has forgotten it. */
  look(): void {
    if (this.#now() - this.#lastSign < stillMs) void this.#say(true)
    // The user may still be there. Without further signs the hub sends notifications again after a minute.
    else this.#isSaid = false
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    if (this.#isSaid) await this.#say(false)
  }

  async #say(isLooking: boolean): Promise<void> {
    this.#isSaid = isLooking
    const once = { patienceMs: 0, signal: AbortSignal.timeout(leaveMs) }
    // If this fails, the user only gets a notification about something they see.
    await lookAtRun(this.#hub, this.#run, { isLooking, client: this.#client }, once).catch(() => {})
  }
}

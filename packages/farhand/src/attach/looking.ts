import type { Hub } from '@farhand/client/requests/hub'
import { lookAtRun } from '@farhand/client/resources/run-preferences'
import { type RunId, randomName } from '@farhand/protocol/wire/ids'

/** The hub believes it for a minute. */
const againMs = 20_000
/** Whoever types nothing for so long may have left the room, and is told on their phone. */
const stillMs = 2 * 60_000
/** Who leaves does not wait for a hub that is away. */
const leaveMs = 1000

/** Says to the hub that somebody has a run before their eyes at this terminal, so that they are not told what they see (W49). */
export class Looking {
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

  /** Somebody is there: they have typed something. */
  sign(): void {
    this.#lastSign = this.#now()
    if (!this.#isSaid) this.look()
  }

  /** Says how it is now; also to a hub that has just come back and knows of nobody. */
  look(): void {
    if (this.#now() - this.#lastSign < stillMs) void this.#say(true)
    // Nobody has left, and perhaps nobody is there: by saying nothing more they are told what they do not answer.
    else this.#isSaid = false
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    if (this.#isSaid) await this.#say(false)
  }

  async #say(isLooking: boolean): Promise<void> {
    this.#isSaid = isLooking
    const once = { patienceMs: 0, signal: AbortSignal.timeout(leaveMs) }
    // It is a courtesy: without it somebody is told what they see already.
    await lookAtRun(this.#hub, this.#run, { isLooking, client: this.#client }, once).catch(() => {})
  }
}

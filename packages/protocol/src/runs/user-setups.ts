import { paramsOf } from '../events/event-handlers.ts'
import type { UserSetup } from '../methods/setup.ts'
import type { BlobHash } from '../wire/blob-hash.ts'
import type { SeenEvent } from '../wire/seen-event.ts'

/** What a user brought for the agent of a run, as a fold of the log: the newest setup, and every file of any setup (W45). */
export class UserSetups {
  /** Null if the user has brought nothing. */
  newest: UserSetup | null = null
  readonly #ever = new Set<BlobHash>()

  /** Takes the next event of the log. */
  take({ notification }: Pick<SeenEvent, 'notification'>): void {
    const setup = paramsOf(notification, 'user_setup')
    if (!setup) return
    this.newest = setup
    for (const { hash } of setup.items) this.#ever.add(hash)
  }

  /** Whether the user has brought this file at some time: then the agent has not written it. */
  hasBrought(hash: BlobHash): boolean {
    return this.#ever.has(hash)
  }
}

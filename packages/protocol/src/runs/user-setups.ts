import { eventName } from '../events/event-names.ts'
import { UserSetup } from '../methods/setup.ts'
import type { BlobHash } from '../wire/blob-hash.ts'
import type { SeenEvent } from '../wire/seen-event.ts'

/** What people brought for the agent of a run, as a fold of the log: the newest counts, and all that was ever brought is known (W45). */
export class UserSetups {
  /** Null if nobody has brought anything. */
  newest: UserSetup | null = null
  readonly #ever = new Set<BlobHash>()

  /** Takes the next event of the log. */
  take({ notification: { method, params } }: Pick<SeenEvent, 'notification'>): void {
    if (eventName(method) !== 'user_setup') return
    const said = UserSetup.safeParse(params).data
    if (!said) return
    this.newest = said
    for (const { hash } of said.items) this.#ever.add(hash)
  }

  /** Whether this is what somebody has brought at some time: then the agent has not written it. */
  hasBrought(hash: BlobHash): boolean {
    return this.#ever.has(hash)
  }
}

import { eventsNamed } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

// What the sync engine says goes past the journal: it knows by itself what is to be said again.
const goesPastTheJournal = eventsNamed('file_change', 'file_kept')
// In other events the name could be one that the agent chose.
const mayStandForSeveral = eventsNamed(
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message_chunk',
  'error',
)

/** How many entries of its runner's journal an event stands for. */
export function entriesIn(notification: Notification): number {
  if (goesPastTheJournal(notification)) return 0
  const joined = notification.params?.joined
  return mayStandForSeveral(notification) && Number.isSafeInteger(joined) ? Math.max(1, Number(joined)) : 1
}

/**
 * What the log has of the journal of one generation: its first `count` entries. It has to see the log from the
 * beginning, read after a later generation had begun: until then more may be under way.
 */
export class EntriesStored {
  readonly #generation: number
  count = 0
  /** Whether a later runner has spoken: what is left of this one's words would come too late. */
  wasFollowed = false

  constructor(generation: number) {
    this.#generation = generation
  }

  /** Takes one more event, in their order. */
  take({ by, notification }: SeenEvent): void {
    if (by.kind !== 'runner' || by.generation < this.#generation) return
    const entries = entriesIn(notification)
    if (by.generation === this.#generation) this.count += entries
    else if (entries > 0) this.wasFollowed = true
  }
}

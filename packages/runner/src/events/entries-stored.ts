import { eventsNamed } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

// The sync engine's events do not go through the journal: it knows itself what to send again.
const goesPastTheJournal = eventsNamed('file_change', 'file_kept')
// In other events, `joined` could be a field of the agent's.
const mayStandForSeveral = eventsNamed(
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message_chunk',
  'error',
)

/** How many journal entries an event stands for. */
export function entriesIn(notification: Notification): number {
  if (goesPastTheJournal(notification)) return 0
  const joined = notification.params?.joined
  return mayStandForSeveral(notification) && Number.isSafeInteger(joined) ? Math.max(1, Number(joined)) : 1
}

/**
 * How many entries of one generation's journal are in the log: its first `count`. It needs the log from the
 * beginning, read after a later generation began: until then, more may be under way.
 */
export class EntriesStored {
  readonly #generation: number
  count = 0
  /** Whether a later runner has written events: what this one left unsent comes too late. */
  wasFollowed = false

  constructor(generation: number) {
    this.#generation = generation
  }

  /** Takes the next event of the log. */
  take({ by, notification }: SeenEvent): void {
    if (by.kind !== 'runner' || by.generation < this.#generation) return
    const entries = entriesIn(notification)
    if (by.generation === this.#generation) this.count += entries
    else if (entries > 0) this.wasFollowed = true
  }
}

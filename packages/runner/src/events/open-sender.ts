import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { EntriesStored } from './entries-stored.ts'
import { EventSender, type EventSenderOptions } from './event-sender.ts'
import { openJournal } from './file-journal.ts'
import { unsentEvents } from './unsent-events.ts'

type Parts = Omit<EventSenderOptions, 'journal'> & {
  /** The folder of this run's journals. */
  folder: string
  generation: number
  /** Reads the log up to now, which shows what an earlier runner left unsent. */
  read: (take: (event: SeenEvent) => void) => Promise<void>
}

/**
 * Opens the sender of a new generation. It first sends what the generation before left unsent; `handedIn` resolves
 * when that is stored.
 */
export async function openSender({ folder, generation, read, ...options }: Parts): Promise<{
  sender: EventSender
  handedIn: () => Promise<void>
}> {
  const { leftovers, begin } = openJournal(folder, generation)
  const stored = new EntriesStored(leftovers?.generation ?? 0)
  await read((event) => stored.take(event))
  const journal = begin(unsentEvents(leftovers, stored))
  const left = journal.next
  const sender = new EventSender({ ...options, journal })
  return {
    sender,
    async handedIn() {
      if (left > 0) await sender.stored(left - 1)
    },
  }
}

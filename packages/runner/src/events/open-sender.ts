import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { EntriesStored } from './entries-stored.ts'
import { EventSender, type EventSenderOptions } from './event-sender.ts'
import { openJournal } from './file-journal.ts'
import { unsentEvents } from './unsent-events.ts'

type Parts = Omit<EventSenderOptions, 'journal'> & {
  /** Where the journals of this run are. */
  folder: string
  generation: number
  /** Reads all that the log has by now; only then is it known what an earlier runner had left to say. */
  read: (take: (event: SeenEvent) => void) => Promise<void>
}

/** A sender for a new generation, which begins with what the one before did not get to say; `handedIn` once that is stored. */
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

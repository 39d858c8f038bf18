import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { EntriesStored } from './entries-stored.ts'
import { EventSender, type EventSenderOptions } from './event-sender.ts'
import type { Leftovers } from './file-journal.ts'
import { openJournal } from './file-journal.ts'

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

/**
 * What a new generation writes first: what the one before left unsent. If another runner has written since, these
 * events would contradict it: then they are kept as an artifact, which no fold reads (W8).
 */
export function* unsentEvents(leftovers: Leftovers | null, stored: EntriesStored): Generator<Notification> {
  if (!leftovers) return
  const unsaid = leftovers.from(stored.count)
  if (!stored.wasFollowed) yield* unsaid
  else {
    const content = [...unsaid]
    const name = `what the runner of generation ${leftovers.generation} had left to say`
    if (content.length > 0) {
      yield event('artifact', { kind: 'unsaid', name, content })
    }
  }
}

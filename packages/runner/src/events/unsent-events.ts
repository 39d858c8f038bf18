import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import type { EntriesStored } from './entries-stored.ts'
import type { Leftovers } from './file-journal.ts'

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

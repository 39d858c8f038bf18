import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import type { EntriesStored } from './entries-stored.ts'
import type { Leftovers } from './file-journal.ts'

/**
 * What a new generation says before anything else: what the one before did not get to say. If somebody else has
 * spoken since, it would contradict them: then it is kept as an artifact, which means nothing to any fold (W8).
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

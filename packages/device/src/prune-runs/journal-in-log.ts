import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { EntriesStored } from '@farhand/runner/events/entries-stored'
import { openJournal } from '@farhand/runner/events/file-journal'

/**
 * Whether the log of a closed run has all that a runner wrote into its journal. `log` is the whole log. No process may be
 * using the journal.
 */
export async function isJournalInLog(journal: string, log: AsyncIterable<SeenEvent>): Promise<boolean> {
  // The highest possible generation: no runner can be newer than this one, which never begins.
  const { leftovers } = openJournal(journal, Number.MAX_SAFE_INTEGER)
  if (!leftovers) return true
  const stored = new EntriesStored(leftovers.generation)
  for await (const event of log) stored.take(event)
  for (const _ of leftovers.from(stored.count)) return false
  return true
}

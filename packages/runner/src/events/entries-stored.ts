import type { Notification } from '@farhand/protocol/event'
import type { SeenEvent } from '@farhand/protocol/seen-event'

// What the sync engine says goes past the journal: it knows by itself what is to be said again.
const pastTheJournal = new Set(['_posthog/file_change', '_posthog/file_kept'])
// In other events the name could be one that the agent chose.
const mayStandForSeveral = new Set([
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message_chunk',
  '_posthog/error',
])

/** How many entries of its runner's journal an event stands for. */
export function entriesIn({ method, params }: Notification): number {
  if (pastTheJournal.has(method)) return 0
  const joined = params?.joined
  return mayStandForSeveral.has(method) && Number.isSafeInteger(joined) ? Math.max(1, Number(joined)) : 1
}

/**
 * How many entries of the journal of this generation the log has, which are its first ones. True only of a log that
 * was read after a later generation had begun: until then the rest may be under way.
 */
export function entriesStored(log: Iterable<SeenEvent>, generation: number): number {
  let entries = 0
  for (const { by, notification } of log) {
    if (by.kind === 'runner' && by.generation === generation) entries += entriesIn(notification)
  }
  return entries
}

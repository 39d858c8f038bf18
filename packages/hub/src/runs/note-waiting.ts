import { KeyedLock } from '@farhand/kit/keyed-lock'
import { isEvent } from '@farhand/protocol/events/event-names'
import { pendingQuestions } from '@farhand/protocol/runs/sync-status'
import type { Notification } from '@farhand/protocol/wire/event'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { EventLog } from '../log/event-log.ts'
import { noteMayWait } from '../store/runs.ts'
import type { Db } from '../store/tables.ts'

const asking = new KeyedLock()

/**
 * Stores events. If one is a question, the store first gets the flag that the run may wait for the user. Afterwards would be too late:
 * if the hub were killed in between, no list of waiting runs would show the question.
 */
export function noteThenStore<Stored>(
  db: Db,
  run: RunId,
  notifications: readonly Notification[],
  store: () => Promise<Stored>,
): Promise<Stored> {
  if (!notifications.some((one) => isEvent(one, 'agent_question'))) return store()
  return asking.shared(run, async () => {
    await noteMayWait(db, run, true)
    return store()
  })
}

/** Clears that flag if the run has no open question; not while a question is being stored, whose flag it would clear. */
export async function noteNotWaiting({ db, log }: { db: Db; log: EventLog }, run: RunId): Promise<void> {
  await asking.exclusive(run, async () => {
    const { view } = await log.head(run)
    if (pendingQuestions(view).length === 0) await noteMayWait(db, run, false)
  })
}

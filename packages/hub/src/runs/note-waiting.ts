import { KeyedLock } from '@farhand/kit/keyed-lock'
import { isEvent } from '@farhand/protocol/events/event-names'
import { pendingQuestions } from '@farhand/protocol/runs/sync-status'
import type { Notification } from '@farhand/protocol/wire/event'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { Kysely } from 'kysely'
import type { EventLog } from '../log/event-log.ts'
import { noteMayWait } from '../store/runs.ts'
import type { Tables } from '../store/tables.ts'

const asking = new KeyedLock()

/**
 * Stores events; if one of them is a question, it is noted before that its run may wait for a person. Afterwards would be
 * too late: a hub that dies in between leaves a question of which no list of waiting runs knows.
 */
export function noteThenStore<Stored>(
  db: Kysely<Tables>,
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

/** Notes that a run waits for nobody, if that is so. Not while a question is on its way to the log, which would undo its note. */
export async function noteNotWaiting(
  { db, log }: { db: Kysely<Tables>; log: EventLog },
  run: RunId,
): Promise<void> {
  await asking.exclusive(run, async () => {
    const { view } = await log.head(run)
    if (pendingQuestions(view).length === 0) await noteMayWait(db, run, false)
  })
}

import { event } from '@farhand/protocol/events/event-names'
import { openedAgain } from '@farhand/protocol/runs/fold-run-view'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { Kysely } from 'kysely'
import type { EventLog, LogHead } from '../log/event-log.ts'
import { noteIsOpen } from '../store/runs.ts'
import type { Tables } from '../store/tables.ts'
import { noteIfOpen } from './note-from-log.ts'

/** Opens a run that was closed, or is about to be, wakes one that sleeps, and tries again with one that failed (W12). */
export async function openRun(
  parts: { db: Kysely<Tables>; log: EventLog },
  run: RunId,
  hasExpired: (head: LogHead) => boolean = () => false,
): Promise<void> {
  const { db, log } = parts
  // First: after a crash in between, a closed run that is taken for open does no harm.
  await noteIsOpen(db, run, true)
  await log.append(run, (head) => {
    const { status, closing } = head.view
    const isOpen = !closing && !['closed', 'asleep', 'failed'].includes(status)
    if (isOpen && !hasExpired(head)) return { by: { kind: 'hub' }, notifications: [] }
    // One that has only expired goes on as it is: that somebody opened it again is all there is to say.
    const params = { status: isOpen ? status : 'queued', reason: openedAgain }
    return { by: { kind: 'hub' }, notifications: [event('status', params)] }
  })
  await noteIfOpen(parts, run)
}

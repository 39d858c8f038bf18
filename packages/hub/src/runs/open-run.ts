import { event } from '@farhand/protocol/events/event-names'
import { openedAgain } from '@farhand/protocol/runs/fold-run-view'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { EventLog, LogHead } from '../log/event-log.ts'
import { noteIsOpen } from '../store/runs.ts'
import type { Db } from '../store/tables.ts'
import { noteIfOpen } from './note-from-log.ts'

/** Opens a run that is closed or closing, wakes one that sleeps, and retries one that failed (W12). */
export async function openRun(
  parts: { db: Db; log: EventLog },
  run: RunId,
  hasExpired: (head: LogHead) => boolean = () => false,
): Promise<void> {
  const { db, log } = parts
  // First: if the hub is killed in between, a closed run flagged as open does no harm.
  await noteIsOpen(db, run, true)
  await log.append(run, (head) => {
    const { status, closing } = head.view
    const isOpen = !closing && !['closed', 'asleep', 'failed'].includes(status)
    if (isOpen && !hasExpired(head)) return { by: { kind: 'hub' }, notifications: [] }
    // An expired run keeps its status: the event only records that the user opened it again.
    const params = { status: isOpen ? status : 'queued', reason: openedAgain }
    return { by: { kind: 'hub' }, notifications: [event('status', params)] }
  })
  await noteIfOpen(parts, run)
}

import type { RunId } from '@farhand/protocol/wire/ids'
import type { EventLog } from '../log/event-log.ts'
import { noteIsOpen } from '../store/runs.ts'
import type { Db } from '../store/tables.ts'

type Parts = { db: Db; log: EventLog }

/** Writes to the store whether a run is open, so that lists of open runs can skip closed ones. */
export async function noteIfOpen({ db, log }: Parts, run: RunId): Promise<void> {
  const look = async () => (await log.head(run)).view.status !== 'closed'
  for (let isOpen = await look(); ; ) {
    await noteIsOpen(db, run, isOpen)
    // A concurrent caller may have read the log earlier: the last writer checks again.
    const isStill = await look()
    if (isStill === isOpen) return
    isOpen = isStill
  }
}

import { Fault } from '@farhand/protocol/faults'
import type { Batch, LogHead } from '../log/event-log.ts'

/** Admits a batch to an open run; a closed one has to be opened again first (W12). */
export function admitted(batch: Batch, head: LogHead): Batch {
  const { status, closing } = head.view
  if (status === 'closed') {
    throw new Fault('run.closed', 'this run is closed; send _posthog/session_init to open it again')
  }
  // The runner still has its last checkpoint to write; clients are too late.
  if (closing && batch.by.kind !== 'runner' && batch.by.kind !== 'hub') {
    throw new Fault('run.closed', 'this run is being closed; send _posthog/session_init to open it again')
  }
  return batch
}

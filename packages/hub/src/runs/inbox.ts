import { Fault } from '@farhand/protocol/faults'
import type { Batch, LogHead } from '../log/event-log.ts'

/**
 * Admits a batch to an open run; a closed one has to be opened again first (W12). What an earlier try has stored
 * is acknowledged all the same: the sender asks whether it arrived, and it did.
 */
export function admitted(batch: Batch, { view }: LogHead): Batch {
  // The runner still has its last checkpoint to write; clients are too late.
  const late = view.closing && batch.by.kind !== 'runner' && batch.by.kind !== 'hub'
  if (view.status !== 'closed' && !late) return batch
  const state = late ? 'being closed' : 'closed'
  const refusal = new Fault('run.closed', `this run is ${state}; send _posthog/session_init to open it again`)
  return { ...batch, refusal }
}

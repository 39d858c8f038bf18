import {
  type Interpreted,
  interpretNotifications,
} from '@farhand/protocol/compatibility/interpret-notifications'
import { eventsNamed, isEvent } from '@farhand/protocol/events/event-names'
import { capacityFault } from '@farhand/protocol/runs/capacity-fault'
import { hasId } from '@farhand/protocol/runs/id-list'
import { Fault } from '@farhand/protocol/wire/faults'
import { wireName } from '@farhand/protocol/wire/wire-names'
import type { Batch, LogHead } from '../log/event-log.ts'

/**
 * Admits a batch to an open run that has room for it; a closed run has to be opened again first (W12). Events that an earlier try has
 * stored are acknowledged all the same, as they did arrive.
 */
export function admitted(batch: Batch, { view }: LogHead): Batch {
  const refusal =
    batch.refusal ??
    fenced(batch, view.generation) ??
    closed(batch, view) ??
    begun(batch, view) ??
    capacityFault(view, batch.notifications)
  return refusal ? { ...batch, refusal } : batch
}

/**
 * How this run interprets a batch, if not literally (W62, W63); null if literally. Batches with producer numbers are never changed, as
 * the number of events must match. A message with a key stays one event, which may become an answer.
 */
export function understood(batch: Batch, { view }: LogHead): Interpreted | null {
  if (batch.producer) return null
  const heard = interpretNotifications(batch.notifications, batch.by, view)
  return batch.key && (heard?.notifications.length ?? 0) > 1 ? null : heard
}

function fenced({ by }: Batch, current: number): Fault | null {
  if (by.kind !== 'runner' || by.generation === current) return null
  return new Fault('runner.fenced', 'a newer runner has taken over this run; stop', { current })
}

/** Results such as a pull request often come after the run is closed. They need no action, so they are stored in a closed run. */
const isAboutItsEnd = eventsNamed('pr_created')

function closed({ by, notifications }: Batch, { status, closing }: LogHead['view']): Fault | null {
  const isNote = by.kind === 'device' && notifications.length > 0
  if (isNote && notifications.every(isAboutItsEnd)) return null
  // While closing, the runner may still write its last checkpoint; clients are too late.
  const late = closing && by.kind !== 'runner' && by.kind !== 'hub'
  if (status !== 'closed' && !late) return null
  const state = late ? 'being closed' : 'closed'
  return new Fault('run.closed', `this run is ${state}; send ${wireName('session_init')} to open it again`)
}

/**
 * Refuses to replace a message that the agent has already begun, or that was replaced before: the agent would get both messages. Only
 * here, when the batch is stored, is the order known.
 */
function begun({ notifications }: Batch, { unacked }: LogHead['view']): Fault | null {
  if (!notifications.some((one) => isEvent(one, 'user_message'))) return null
  const isLate = notifications.some(
    (one) =>
      isEvent(one, 'message_edit') &&
      one.params?.content === null &&
      !hasId(unacked, one.params.messageId as number),
  )
  return isLate ? new Fault('message.begun', 'the message to take back does not wait any more') : null
}

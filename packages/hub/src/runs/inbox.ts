import { type Interpreted, interpretNotifications } from '@farhand/protocol/compatibility/interpret-notifications'
import { eventsNamed, isEvent } from '@farhand/protocol/events/event-names'
import { capacityFault } from '@farhand/protocol/runs/capacity-fault'
import { hasId } from '@farhand/protocol/runs/id-list'
import { Fault } from '@farhand/protocol/wire/faults'
import { wireName } from '@farhand/protocol/wire/wire-names'
import type { Batch, LogHead } from '../log/event-log.ts'

/**
 * Admits a batch to an open run that has room for it; a closed one has to be opened again first (W12). What an earlier try has stored
 * is acknowledged all the same: the sender asks whether it arrived, and it did.
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
 * What a batch means in this run, where that is not just what it says (W62, W63). What a producer has numbered is as it is: an event
 * more or less would be counted. With a key there is one event for one message, which may have become an answer.
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

/** What became of a run is often known only when it is closed. Nobody has to do anything about it, so it opens nothing. */
const isAboutItsEnd = eventsNamed('pr_created')

function closed({ by, notifications }: Batch, { status, closing }: LogHead['view']): Fault | null {
  const isNote = by.kind === 'device' && notifications.length > 0
  if (isNote && notifications.every(isAboutItsEnd)) return null
  // The runner still has its last checkpoint to write; clients are too late.
  const late = closing && by.kind !== 'runner' && by.kind !== 'hub'
  if (status !== 'closed' && !late) return null
  const state = late ? 'being closed' : 'closed'
  return new Fault('run.closed', `this run is ${state}; send ${wireName('session_init')} to open it again`)
}

/**
 * Words in place of a message that nobody can take back any more would be heard beside it: the agent has begun with it, or
 * others are there in its place already. Only here is it known what came first.
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

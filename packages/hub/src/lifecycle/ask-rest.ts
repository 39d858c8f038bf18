import { event } from '@farhand/protocol/events/event-names'
import type { RestAsking } from '@farhand/protocol/schemas/api'
import { Fault } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { EventLog } from '../log/event-log.ts'
import type { LogReaders } from '../log/follow.ts'
import { admitted } from '../runs/inbox.ts'
import { isBusy } from './decide.ts'

/** Asks the runner of a run to rest, at a user's request (W46). If it was asked already and has not refused, it is not asked again. */
export async function askRest(
  { log, readers }: { log: EventLog; readers: LogReaders },
  run: RunId,
): Promise<RestAsking> {
  let isAsked = false
  const { lastEventId } = await log.append(run, (head) => {
    const { view } = head
    isAsked = readers.hasRunner(run, view.generation)
    const isNew = isAsked && (view.rest === null || view.rest.rests === false)
    const refusal = isNew && isBusy(view) ? new Fault('run.busy', 'this run has something to do') : null
    const request = event('rest_request', { reason: 'handoff' })
    return admitted(
      { by: { kind: 'hub' }, notifications: isNew ? [request] : [], ...(refusal && { refusal }) },
      head,
    )
  })
  return { isAsked, lastEventId }
}

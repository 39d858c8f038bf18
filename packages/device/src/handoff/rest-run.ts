import { follow } from '@farhand/client/follow/follow'
import { Refusal } from '@farhand/client/requests/refusal'
import { askRest } from '@farhand/client/resources/resources'
import { eventsNamed } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import { patienceMs } from '../requests/patience-ms.ts'
import type { HandoffRun } from './handoff-run.ts'

/** Events after which the next step may be another one. */
const isChange = eventsNamed(
  'turn_complete',
  'question_closed',
  'agent_question',
  'rest_answer',
  'session_start',
  'moved',
  'status',
  'session_close',
)

/** Limited, because no event tells that a runner has died. */
const lookAgainMs = 5_000

/** Asks the runner to rest: it saves its last checkpoint and its agent's memory. Resolves when it may rest. */
export async function restRun(
  run: Pick<HandoffRun, 'hub' | 'at'>,
  lastEventId: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { isAsked } = await askRest(run.hub, run.at, { signal, patienceMs })
    if (!isAsked) return
  } catch (error) {
    // A message has just arrived: the runner works on that first.
    if (!(error instanceof Refusal && error.code === 'run.busy')) throw error
  }
  await untilChange(run, lastEventId, signal)
}

/** The next event that may change the decision; null if there is none for a while. */
export async function untilChange(
  { hub, at }: Pick<HandoffRun, 'hub' | 'at'>,
  after: number,
  signal: AbortSignal,
): Promise<Notification | null> {
  const enough = AbortSignal.timeout(lookAgainMs)
  try {
    const events = follow(hub, at, { after, signal: AbortSignal.any([signal, enough]) })
    for await (const { notification } of events) if (isChange(notification)) return notification
  } catch (error) {
    signal.throwIfAborted()
    if (!enough.aborted) throw error
  }
  return null
}

import { eventName, eventsNamed, isEvent } from '@farhand/protocol/events/event-names'
import { isBadEnd } from '@farhand/protocol/runs/is-bad-end'
import type { CallbackEvent } from '@farhand/protocol/schemas/api'
import type { Notification, StoredEvent } from '@farhand/protocol/wire/event'

/** One call of web hooks, named by an event. A receiver that gets it twice can tell by its id (W14). */
export type WebHookCall = {
  event: CallbackEvent
  id: number
  /** Once this call is done, all calls up to this event are done. A message that began earlier may still be open. */
  settled: number
  timestamp: string
  /** For a message its whole text; for others the event itself. */
  about: { text: string } | { notification: Notification }
}

/** A message that the agent has not finished; hooks are called when it ends. */
export type OpenMessage = { firstId: number; lastId: number; timestamp: string; name: string; text: string }

export type WebHookFold = { calls: WebHookCall[]; open: OpenMessage | null }

const mostText = 200_000

/** These events end a message. Others, such as a written file, do not. */
const endsMessage = eventsNamed(
  'tool_call',
  'turn_complete',
  'agent_question',
  'session_start',
  'session_close',
)

/** The calls for these events, given the open message before them, and the message that is open after them. */
export function webHookCalls(events: readonly StoredEvent[], open: OpenMessage | null): WebHookFold {
  const calls: WebHookCall[] = []
  let saying = open
  const finish = () => {
    if (saying) {
      const { lastId: id, timestamp, text } = saying
      calls.push({ event: 'agent_message', id, settled: id, timestamp, about: { text } })
    }
    saying = null
  }
  for (const event of events) {
    if (isEvent(event.notification, 'agent_message_chunk')) {
      if (saying && saying.name !== nameOf(event)) finish()
      saying = longer(saying, event)
      continue
    }
    if (endsMessage(event.notification)) finish()
    const kind = kindOf(event.notification)
    if (kind === null) continue
    const { id, timestamp, notification } = event
    const settled = saying ? saying.firstId - 1 : id
    calls.push({ event: kind, id, settled, timestamp, about: { notification } })
  }
  return { calls, open: saying }
}

function kindOf({ method, params }: Notification): CallbackEvent | null {
  const name = eventName(method)
  if (name === 'agent_question') return 'question'
  if (name === 'error') return 'error'
  if (name === 'status') return params?.status === 'failed' ? 'error' : null
  if (name !== 'turn_complete') return null
  return isBadEnd(String(params?.stopReason ?? '')) ? 'error' : 'done'
}

const nameOf = ({ notification: { params } }: StoredEvent) => String(params?.messageId ?? '')

function longer(open: OpenMessage | null, event: StoredEvent): OpenMessage {
  const said = event.notification.params?.text
  const text = `${open?.text ?? ''}${typeof said === 'string' ? said : ''}`.slice(0, mostText)
  const { id: lastId, timestamp } = event
  return { firstId: open?.firstId ?? lastId, lastId, timestamp, name: nameOf(event), text }
}

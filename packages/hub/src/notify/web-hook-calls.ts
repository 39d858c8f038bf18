import { eventName, eventsNamed, isEvent } from '@farhand/protocol/events/event-names'
import { isBadEnd } from '@farhand/protocol/runs/is-bad-end'
import type { CallbackEvent } from '@farhand/protocol/schemas/api'
import type { Notification, StoredEvent } from '@farhand/protocol/wire/event'

/** Something that web webHooks are told, named by an event: whoever is told it twice knows by its id (W14). */
export type WebHookCall = {
  event: CallbackEvent
  id: number
  /** Up to this event nothing is left to tell when this was told: a message may have begun before, and go on. */
  settled: number
  timestamp: string
  /** Of a message what it says, whole; of the others the event itself. */
  about: { text: string } | { notification: Notification }
}

/** What an agent is saying; it is told when it is over. */
export type OpenMessage = { firstId: number; lastId: number; timestamp: string; name: string; text: string }

export type WebHookFold = { calls: WebHookCall[]; open: OpenMessage | null }

const mostText = 200_000

/** These end a message; what else comes in between, such as a file that was written, does not. */
const endsMessage = eventsNamed(
  'tool_call',
  'turn_complete',
  'agent_question',
  'session_start',
  'session_close',
)

/** What these events, which come after a message that is open, have to tell, and what is open after them. */
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

import { Notification } from '@farhand/protocol/wire/event'
import { plainEvent } from '@farhand/protocol/wire/plain-event'
import { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { EventSourceMessage } from 'eventsource-parser'

export type Followed = { id: number; notification: Notification }

/** What one message of the stream means to a reader whose last handled event is `cursor`. */
export type Step =
  | { kind: 'event'; event: Followed | SeenEvent }
  | { kind: 'pass' }
  | { kind: 'live'; lastEventId: number | null }
  | { kind: 'reconnect' }
  | { kind: 'end' }
  | { kind: 'broken'; why: string }

export type Reading = { cursor: number | null; to?: 'agent' | undefined; envelope?: 'stored' | undefined }

/** The events of messages that arrived together, and the reader's cursor after them. */
export type Steps = {
  events: (Followed | SeenEvent)[]
  live: boolean
  cursor: number | null
  /** The message that ended the connection: nothing after it counts. */
  last: Extract<Step, { kind: 'reconnect' | 'end' | 'broken' }> | null
}

/** Takes messages up to the first that ends the connection. */
export function followSteps(messages: readonly EventSourceMessage[], reading: Reading): Steps {
  const steps: Steps = { events: [], live: false, cursor: reading.cursor, last: null }
  for (const message of messages) {
    const step = followStep(message, { ...reading, cursor: steps.cursor })
    if (step.kind === 'event') {
      steps.events.push(step.event)
      steps.cursor = step.event.id
    } else if (step.kind === 'live') {
      steps.live = true
      // The hub has sent everything up to here that is for this reader: the next connection can begin here.
      if (steps.cursor === null || reading.to === 'agent') steps.cursor = step.lastEventId ?? steps.cursor
    } else if (step.kind !== 'pass') {
      steps.last = step
      break
    }
  }
  return steps
}

/** With a cursor of null the reader takes the first event that comes. */
function followStep(message: EventSourceMessage, reading: Reading): Step {
  switch (message.event) {
    case 'live':
      return { kind: 'live', lastEventId: lastEventId(message.data) }
    case 'reconnect':
    case 'end':
      return { kind: message.event }
    case undefined:
    case 'message':
      return eventStep(message, reading)
    default:
      return { kind: 'pass' }
  }
}

function eventStep(message: EventSourceMessage, { cursor, to, envelope }: Reading): Step {
  const id = Number(message.id)
  if (!Number.isSafeInteger(id) || id < 1)
    return { kind: 'broken', why: `an event with the id "${message.id}"` }
  if (cursor !== null) {
    if (id <= cursor) return { kind: 'pass' }
    // With `to: 'agent'` the hub leaves out what runners wrote; in every other stream a gap means a lost event.
    if (id !== cursor + 1 && to !== 'agent')
      return { kind: 'broken', why: `event ${id} came after event ${cursor}` }
  }
  const event = readEvent(id, message.data, envelope)
  return event ? { kind: 'event', event } : { kind: 'broken', why: `event ${id} is not readable` }
}

function readEvent(id: number, data: string, envelope: 'stored' | undefined): Followed | SeenEvent | null {
  const value = tryJson(data)
  if (envelope === 'stored') {
    const event = plainEvent(value) ?? SeenEvent.safeParse(value).data
    return event?.id === id ? event : null
  }
  const notification = Notification.safeParse(value)
  return notification.success ? { id, notification: notification.data } : null
}

function lastEventId(data: string): number | null {
  const value = tryJson(data)
  if (typeof value !== 'object' || value === null || !('lastEventId' in value)) return null
  return typeof value.lastEventId === 'number' ? value.lastEventId : null
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller then treats the stream as broken, and the cursor stays where it is.
    return undefined
  }
}

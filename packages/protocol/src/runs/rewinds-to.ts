import { paramsOf } from '../events/event-handlers.ts'
import type { SeenEvent } from '../wire/seen-event.ts'

/** The event to which this event rewinds the conversation; null if it is no rewind, or names an event after itself (W27). */
export function rewindsTo({ id, notification }: SeenEvent): number | null {
  const to = paramsOf(notification, 'rewind')?.to
  return to !== undefined && to < id ? to : null
}

import { eventName } from '../events/event-names.ts'
import type { Notification } from '../wire/event.ts'

export type TurnPlace = 'before' | 'inside' | 'over' | 'withdrawn'

/** Whether the turn of a message has begun, is over or was withdrawn, after the next event. Begin with `before` at the message. */
export function turnPlace(place: TurnPlace, { method, params }: Notification, messageId: number): TurnPlace {
  const name = eventName(method)
  // An ack that comes after the withdrawal or the end changes nothing (W29).
  if (place === 'withdrawn' || place === 'over') return place
  if (name === 'ack' && params?.id === messageId) return 'inside'
  if (name === 'turn_complete' && params?.messageId === messageId) return 'over'
  const withdrawn = name === 'message_edit' && params?.messageId === messageId && params.content === null
  // A message whose turn has begun cannot be withdrawn.
  return withdrawn && place === 'before' ? 'withdrawn' : place
}

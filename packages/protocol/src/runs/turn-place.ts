import { eventName } from '../events/event-names.ts'
import type { Notification } from '../wire/event.ts'

export type TurnPlace = 'before' | 'inside' | 'over' | 'withdrawn'

/** Where an event stands to the turn of a message: events come one after the other, from the message on. */
export function turnPlace(place: TurnPlace, { method, params }: Notification, messageId: number): TurnPlace {
  const name = eventName(method)
  // An ack that crossed the withdrawal, or comes after the end, changes nothing (W29).
  if (place === 'withdrawn' || place === 'over') return place
  if (name === 'ack' && params?.id === messageId) return 'inside'
  if (name === 'turn_complete' && params?.messageId === messageId) return 'over'
  const withdrawn = name === 'message_edit' && params?.messageId === messageId && params.content === null
  // Once the agent is at work a message cannot be taken back.
  return withdrawn && place === 'before' ? 'withdrawn' : place
}

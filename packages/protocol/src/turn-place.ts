import type { Notification } from './event.ts'

export type TurnPlace = 'before' | 'inside' | 'over' | 'withdrawn'

/** Where an event stands to the turn of a message: events come one after the other, from the message on. */
export function turnPlace(place: TurnPlace, { method, params }: Notification, messageId: number): TurnPlace {
  // An ack that crossed the withdrawal, or comes after the end, changes nothing (W29).
  if (place === 'withdrawn' || place === 'over') return place
  if (method === '_posthog/ack' && params?.id === messageId) return 'inside'
  if (method === '_posthog/turn_complete' && params?.messageId === messageId) return 'over'
  const withdrawn =
    method === '_posthog/message_edit' && params?.messageId === messageId && params.content === null
  // Once the agent is at work a message cannot be taken back.
  return withdrawn && place === 'before' ? 'withdrawn' : place
}

import type { EventName, EventParams } from '../methods/methods.ts'
import { type Notification, notification } from '../wire/event.ts'
import { codeName, wireName } from '../wire/wire-names.ts'

/**
 * What the code calls the event of a method; null for methods of others. One of ours that only a newer version knows has its
 * name too, which equals none of these.
 */
export const eventName = (method: string): EventName | null => codeName(method) as EventName | null

/** Whether a notification is an event of one of these names. */
export function isEvent({ method }: Pick<Notification, 'method'>, ...names: readonly EventName[]): boolean {
  const name = eventName(method)
  return name !== null && names.includes(name)
}

/** Which tells notifications that are events of these names from all others. */
export function eventsNamed(...names: readonly EventName[]): (said: Pick<Notification, 'method'>) => boolean {
  const methods = new Set<string>(names.map(wireName))
  return ({ method }) => methods.has(method)
}

/** A notification as it goes into a log. */
export const event = <Name extends EventName>(name: Name, params: EventParams<Name>) =>
  notification(wireName(name), params)

import type { EventName, EventParams } from '../methods/methods.ts'
import { type Notification, notification } from '../wire/event.ts'
import { codeName, wireName } from '../wire/wire-names.ts'

/**
 * The name of an event, from its method; null for methods of other programs. An event that only a newer version knows gives a
 * name that is in no table here.
 */
export const eventName = (method: string): EventName | null => codeName(method) as EventName | null

/** Whether a notification is an event of one of these names. */
export function isEvent({ method }: Pick<Notification, 'method'>, ...names: readonly EventName[]): boolean {
  const name = eventName(method)
  return name !== null && names.includes(name)
}

/** A test for notifications that are events of one of these names; faster than `isEvent` for many events. */
export function eventsNamed(...names: readonly EventName[]): (said: Pick<Notification, 'method'>) => boolean {
  const methods = new Set<string>(names.map(wireName))
  return ({ method }) => methods.has(method)
}

/** A notification of this event, ready to be sent. */
export const event = <Name extends EventName>(name: Name, params: EventParams<Name>) =>
  notification(wireName(name), params)

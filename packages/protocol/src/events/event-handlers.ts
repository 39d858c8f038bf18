import type { z } from 'zod'
import { type EventName, events, type StoredParams } from '../methods/methods.ts'
import type { Notification } from '../wire/event.ts'
import { wireName } from '../wire/wire-names.ts'

type Params = Record<string, unknown>
type Read = (params: Params) => { data?: unknown; success: boolean }

/** A handler that reads the params in a way of its own. */
type Special<State, Rest extends readonly unknown[], Result> = {
  read: Read
  handle: (state: State, params: never, ...rest: Rest) => Result
}

/**
 * What is done with each event, by its name; others do nothing. A handler is given the params as the table of events has them, or,
 * with `parsedWith` and `unparsed`, otherwise.
 */
export type EventHandlers<State, Rest extends readonly unknown[], Result = void> = {
  readonly [Name in EventName]?:
    | ((state: State, params: StoredParams<Name>, ...rest: Rest) => Result)
    | Special<State, Rest, Result>
}

/** For a handler that needs more, or less, of the params than the table of events asks for. */
export const parsedWith = <State, Schema extends z.ZodType, Rest extends readonly unknown[], Result>(
  schema: Schema,
  handle: (state: State, params: z.output<Schema>, ...rest: Rest) => Result,
): Special<State, Rest, Result> => ({ read: (params) => schema.safeParse(params), handle })

/** For a handler to which it does not matter whether the params are as they should be. */
export const unparsed = <State, Rest extends readonly unknown[], Result>(
  handle: (state: State, params: Params, ...rest: Rest) => Result,
): Special<State, Rest, Result> => ({ read: (data) => ({ success: true, data }), handle })

/**
 * A function that has each notification handled; undefined for those without a handler, and for those that do not say what their
 * method should, which are passed over (W27).
 */
export function handledBy<State, Rest extends readonly unknown[], Result>(
  handlers: EventHandlers<State, Rest, Result>,
): (state: State, notification: Notification, ...rest: Rest) => Result | undefined {
  // By methods, so that nothing is done to the name of each event; and no object, of which `__proto__` would be a part.
  const byMethod = new Map<string, Special<State, Rest, Result>>(
    Object.entries(handlers).map(([name, handler]) => [
      wireName(name),
      typeof handler === 'function' ? { read: readerOf(name as EventName), handle: handler } : handler,
    ]),
  )
  return (state, { method, params = {} }, ...rest) => {
    const handler = byMethod.get(method)
    const said = handler?.read(params)
    return said?.success ? handler!.handle(state, said.data as never, ...rest) : undefined
  }
}

/** The params of a notification that is an event of this name and says what such an event should; undefined for all others. */
export function paramsOf<Name extends EventName>(
  { method, params = {} }: Notification,
  name: Name,
): StoredParams<Name> | undefined {
  if (method !== wireName(name)) return undefined
  const said = readerOf(name)(params)
  return said.success ? (said.data as StoredParams<Name>) : undefined
}

function readerOf(name: EventName): Read {
  const event: { params: z.ZodType; told?: z.ZodType } = events[name]
  const schema = event.told ?? event.params
  return (params) => schema.safeParse(params)
}

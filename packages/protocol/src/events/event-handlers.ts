import type { z } from 'zod'
import { type EventName, events, type StoredParams } from '../methods/methods.ts'
import type { Notification } from '../wire/event.ts'
import { wireName } from '../wire/wire-names.ts'

type Params = Record<string, unknown>
type Read = (params: Params) => { data?: unknown; success: boolean }

/** A handler with its own way to read the params. */
type Special<State, Rest extends readonly unknown[], Result> = {
  read: Read
  handle: (state: State, params: never, ...rest: Rest) => Result
}

/**
 * A handler for each event, by its name; events without a handler are ignored. A handler gets the params as the table of events
 * parses them, unless it is made with `parsedWith` or `unparsed`.
 */
export type EventHandlers<State, Rest extends readonly unknown[], Result = void> = {
  readonly [Name in EventName]?:
    | ((state: State, params: StoredParams<Name>, ...rest: Rest) => Result)
    | Special<State, Rest, Result>
}

/** A handler whose params are parsed with another schema than that of the table of events. */
export const parsedWith = <State, Schema extends z.ZodType, Rest extends readonly unknown[], Result>(
  schema: Schema,
  handle: (state: State, params: z.output<Schema>, ...rest: Rest) => Result,
): Special<State, Rest, Result> => ({ read: (params) => schema.safeParse(params), handle })

/** A handler that gets the params unchecked. */
export const unparsed = <State, Rest extends readonly unknown[], Result>(
  handle: (state: State, params: Params, ...rest: Rest) => Result,
): Special<State, Rest, Result> => ({ read: (data) => ({ success: true, data }), handle })

/**
 * A function that calls the handler of a notification and returns its result; undefined if there is no handler, or if the params
 * are not valid: readers ignore such events (W27).
 */
export function handledBy<State, Rest extends readonly unknown[], Result>(
  handlers: EventHandlers<State, Rest, Result>,
): (state: State, notification: Notification, ...rest: Rest) => Result | undefined {
  // By wire method, so that no name is converted for each event; a Map, because a method may be called `__proto__`.
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

/** The parsed params of a notification if it is an event of this name with valid params; undefined for all others. */
export function paramsOf<Name extends EventName>(
  { method, params = {} }: Notification,
  name: Name,
): StoredParams<Name> | undefined {
  if (method !== wireName(name)) return undefined
  const said = readerOf(name)(params)
  return said.success ? (said.data as StoredParams<Name>) : undefined
}

function readerOf(name: EventName): Read {
  const event: { params: z.ZodType; stored?: z.ZodType } = events[name]
  const schema = event.stored ?? event.params
  return (params) => schema.safeParse(params)
}

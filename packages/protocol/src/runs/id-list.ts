import { z } from 'zod'
import { EventId } from '../wire/ids.ts'

/**
 * Growing event ids, in portions: adding or removing an id copies one portion and shares the others, so that a fold
 * over many of them stays cheap. No portion is empty, so `length` is 0 only if there are no ids.
 */
export const IdList = z.array(z.array(EventId).min(1))
export type IdList = z.infer<typeof IdList>

export const idsPerPortion = 500

/** `id` has to be greater than every id of the list. */
export function withId(list: IdList, id: EventId): IdList {
  const last = list.at(-1)
  if (!last || last.length >= idsPerPortion) return [...list, [id]]
  return [...list.slice(0, -1), [...last, id]]
}

/** The same list if it does not have the id. */
export function withoutId(list: IdList, id: EventId): IdList {
  const at = portionOf(list, id)
  const portion = list[at]
  if (!portion?.includes(id)) return list
  const rest = portion.filter((other) => other !== id)
  return [...list.slice(0, at), ...(rest.length > 0 ? [rest] : []), ...list.slice(at + 1)]
}

export function hasId(list: IdList, id: EventId): boolean {
  return list[portionOf(list, id)]?.includes(id) ?? false
}

export function countIds(list: IdList): number {
  return list.reduce((sum, portion) => sum + portion.length, 0)
}

const portionOf = (list: IdList, id: EventId) => list.findIndex((portion) => portion.at(-1)! >= id)

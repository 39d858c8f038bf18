import type { ShownItem } from './shown-items.ts'

/** Where the item is that an event began or became part of: the last one that is not newer. -1 if there is none. */
export function itemIndex(items: readonly ShownItem[], event: number): number {
  const exact = items.findIndex((item) => item.id === event)
  return exact >= 0 ? exact : items.findLastIndex((item) => item.id < event)
}

import type { ShownItem } from './shown-items.ts'

/** The index of the item that contains an event: the last item that is not newer. -1 if there is none. */
export function itemIndex(items: readonly ShownItem[], event: number): number {
  const exact = items.findIndex((item) => item.id === event)
  return exact >= 0 ? exact : items.findLastIndex((item) => item.id < event)
}

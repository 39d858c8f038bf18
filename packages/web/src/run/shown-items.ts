import type { Item, Story } from '../story/story.ts'

/**
 * The items that the timeline shows. Messages that wait stand above the composer, where they can be changed; the very
 * first one stands here, or the page of a run that is being made would be empty.
 */
export function shownItems({ items, queue, view }: Pick<Story, 'items' | 'queue' | 'view'>): readonly Item[] {
  const isFirst = view.turns === 0 && view.openTurns.length === 0
  if (queue.length === 0 || isFirst) return items
  return items.filter((item) => item.kind !== 'message' || item.state !== 'waiting')
}

import type { Item, Story } from '../story/story.ts'

type Waiting = Pick<Story, 'queue' | 'view'>

/**
 * The items that the timeline shows. Messages that wait stand above the composer, where they can be changed; the very
 * first one stands here, or the page of a run that is being made would be empty.
 */
export function shownItems({ items, queue, view }: Pick<Story, 'items'> & Waiting): readonly Item[] {
  if (queue.length === 0) return items
  const shown = shownWaiting({ queue, view })
  return items.filter((item) => item.kind !== 'message' || item.state !== 'waiting' || item.id === shown)
}

/** The message that the timeline shows though it waits. */
export function shownWaiting({ queue, view }: Waiting): number | null {
  const isFirst = view.turns === 0 && view.openTurns.length === 0
  return (isFirst && queue[0]?.id) || null
}

import type { Item, MarkItem, Story } from '@farhand/story/items/story'
import { type FailureItem, withFailures } from './with-failures.ts'

type Waiting = Pick<Story, 'queue' | 'view'>

/** The steps of a start or wake-up: one line that expands. */
export type StartItem = { kind: 'start'; id: number; at: string; steps: readonly MarkItem[] }
export type ShownItem = Item | StartItem | FailureItem

/**
 * The items of the timeline. Waiting messages are shown above the composer, where they can be changed; only the
 * very first one is shown here, or the page of a starting run would be empty.
 */
export function shownItems({ items, queue, view }: Pick<Story, 'items'> & Waiting): readonly ShownItem[] {
  const shown = shownWaiting({ queue, view })
  const isShown = (item: Item) => item.kind !== 'message' || item.state !== 'waiting' || item.id === shown
  return withStarts(withFailures(queue.length === 0 ? items : items.filter(isShown)))
}

/** The waiting message that the timeline shows, or null. */
export function shownWaiting({ queue, view }: Waiting): number | null {
  const isFirst = view.turns === 0 && view.openTurns.length === 0
  return (isFirst && queue[0]?.id) || null
}

const starts = new WeakMap<MarkItem, StartItem>()

/** Joins consecutive steps of a start into one item; the same object while its steps are the same. */
function withStarts(items: readonly (Item | FailureItem)[]): readonly ShownItem[] {
  const all: ShownItem[] = []
  let steps: MarkItem[] = []
  const end = () => {
    if (steps.length > 1) all.push(startOf(steps))
    else all.push(...steps)
    steps = []
  }
  for (const item of items) {
    if (item.kind === 'mark' && isStep(item)) {
      steps.push(item)
      continue
    }
    end()
    all.push(item)
  }
  end()
  return all
}

/** A failed or incomplete step stays visible. */
function isStep({ mark }: MarkItem): boolean {
  if (mark.is === 'phase') return mark.state !== 'failed'
  if (mark.is === 'restored') return mark.missing.length === 0
  return mark.is === 'agent' || mark.is === 'device'
}

function startOf(steps: readonly MarkItem[]): StartItem {
  const first = steps[0]!
  const before = starts.get(first)
  const isSame = before?.steps.length === steps.length && before.steps.every((one, nth) => one === steps[nth])
  if (before && isSame) return before
  const item: StartItem = { kind: 'start', id: first.id, at: first.at, steps }
  starts.set(first, item)
  return item
}

/** The index of the item that contains an event: the last item that is not newer. -1 if there is none. */
export function itemIndex(items: readonly ShownItem[], event: number): number {
  const exact = items.findIndex((item) => item.id === event)
  return exact >= 0 ? exact : items.findLastIndex((item) => item.id < event)
}

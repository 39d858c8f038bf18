import type { Item, MarkItem, Story } from '../../story/story.ts'
import { type FailureItem, withFailures } from './with-failures.ts'

type Waiting = Pick<Story, 'queue' | 'view'>

/** What happened while a run began, or woke up: one line until somebody wants to read it. */
export type StartItem = { kind: 'start'; id: number; at: string; steps: readonly MarkItem[] }
export type ShownItem = Item | StartItem | FailureItem

/**
 * The items that the timeline shows. Messages that wait stand above the composer, where they can be changed; the very
 * first one stands here, or the page of a run that is being made would be empty.
 */
export function shownItems({ items, queue, view }: Pick<Story, 'items'> & Waiting): readonly ShownItem[] {
  const shown = shownWaiting({ queue, view })
  const isShown = (item: Item) => item.kind !== 'message' || item.state !== 'waiting' || item.id === shown
  return withStarts(withFailures(queue.length === 0 ? items : items.filter(isShown)))
}

/** The message that the timeline shows though it waits. */
export function shownWaiting({ queue, view }: Waiting): number | null {
  const isFirst = view.turns === 0 && view.openTurns.length === 0
  return (isFirst && queue[0]?.id) || null
}

const starts = new WeakMap<MarkItem, StartItem>()

/** Steps of a start that follow each other are one item; it is the same object as long as they are. */
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

/** What did not work, or brought back less than there was, is for everybody to see. */
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

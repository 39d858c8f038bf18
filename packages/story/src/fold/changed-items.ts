import { noCuts } from '../items/cut-text.ts'
import type { Item } from '../items/story.ts'
import { isCurrent } from './rewind-steps.ts'
import type { StoryFold } from './story-fold.ts'

/**
 * The items that have changed since this was last called, and the waiting messages: for a reader that takes each event as
 * it comes, which a list of all items for each would slow down.
 */
export function takeChanged({ draft }: StoryFold): Item[] {
  draft.listFiles()
  const changed = [...draft.changed].sort((a, b) => a - b).map((at) => draft.items[at]!)
  draft.changed.clear()
  return [...changed.filter((item) => isCurrent(draft, item)), ...draft.queue]
}

const forgotten: Item = { kind: 'notice', id: 0, at: '', level: 'info', text: '', cuts: noCuts, until: null }

/**
 * Forgets all items but the newest, and messages, whose turns end later: for a reader that runs for days. Later events no
 * longer change what is forgotten.
 */
export function keepNewest({ draft }: StoryFold, most: number): void {
  const { items } = draft
  for (; draft.forgotten < items.length - most; draft.forgotten += 1)
    if (items[draft.forgotten]!.kind !== 'message') items[draft.forgotten] = forgotten
}

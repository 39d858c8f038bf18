import { noCuts } from '../items/cut-text.ts'
import type { Item } from '../items/story.ts'
import { FreshFiles, type FreshPart, FreshParts } from './fresh-parts.ts'
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

/** The same, with what is fresh of each item that has grown since this was last called; files may be missing in the item. */
export function takeFresh({ draft }: StoryFold): { item: Item; fresh: FreshPart | null }[] {
  draft.fresh ??= new FreshParts()
  const { items, fresh, fileRows } = draft
  // What was collected in an item that is rewound was never fresh: it must not wait for that rewind to be undone.
  if (fileRows && !(fresh.files.has(fileRows.at) && isCurrent(draft, items[fileRows.at]!))) draft.listFiles()
  draft.listLateRenames()
  const taken = [...draft.changed]
    .sort((a, b) => a - b)
    .filter((at) => isCurrent(draft, items[at]!))
    .map((at) => ({ item: items[at]!, fresh: fresh.of(at, items[at]!) }))
  draft.changed.clear()
  fresh.texts.clear()
  fresh.renamed.clear()
  for (const at of fresh.files.keys()) if (at !== fileRows?.at) fresh.files.delete(at)
  const open = fileRows && items[fileRows.at]
  if (open?.kind === 'files' && !fresh.files.has(fileRows!.at) && isCurrent(draft, open))
    fresh.files.set(fileRows!.at, new FreshFiles(fileRows!.rows, open))
  return [...taken, ...draft.queue.map((item) => ({ item, fresh: null }))]
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

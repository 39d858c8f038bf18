import { rewindsTo } from '@farhand/protocol/runs/rewinds-to'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Item, MarkItem, MessageItem, RewindTo } from '../items/story.ts'
import type { StoryDraft } from './story-draft.ts'

/** The kinds of items that a rewind removes; events of the run as a whole stay. */
const conversation = new Set<Item['kind']>([
  'message',
  'words',
  'thought',
  'tool',
  'plan',
  'question',
  'turn-end',
])

/** Whether an item is part of the conversation now, or was right after the event `asOf` (W39). */
function isSaid({ conversationPlace, takenOn }: StoryDraft, item: Item, asOf?: number): boolean {
  // A message belongs to the turn that started it, however long it waited.
  const said = item.kind === 'message' ? (takenOn.get(item.id)?.eventId ?? item.id) : item.id
  return !conversation.has(item.kind) || conversationPlace.has(said, asOf)
}

export function rewind(draft: StoryDraft, event: SeenEvent): void {
  const to = rewindsTo(event)
  if (to === null) return
  draft.endWords()
  const { id, timestamp } = event
  const last = draft.items.at(-1)
  const before = (last && draft.putBack.has(last.id) ? last.id : id) - 1
  const mark = { is: 'rewind', to, where: whereTo(draft, id, to), before, taken: [] } as const
  draft.rewinds.set(id, { kind: 'mark', id, at: timestamp, mark })
  draft.add(draft.rewinds.get(id)!)
}

/** A name for the point that a rewind at the event `at` goes back to. */
function whereTo(draft: StoryDraft, at: number, to: number): RewindTo {
  const { items, takenOn, rewinds } = draft
  const was = new Set(items.filter((item) => isSaid(draft, item, at - 1)))
  const is = new Set(items.filter((item) => isSaid(draft, item, at)))
  const gone = items.filter((item) => was.has(item) && !is.has(item))
  const lastSaid = items.findLast(
    (item): item is MessageItem => item.kind === 'message' && item.state !== 'withdrawn' && is.has(item),
  )
  const isBack = items.some((item) => is.has(item) && !was.has(item))
  if (isBack) {
    const before = [...rewinds.keys()].at(-1) ?? 0
    const isUndone =
      gone.length === 0 && items.every((item) => is.has(item) || !isSaid(draft, item, before - 1))
    return isUndone || !lastSaid ? { is: 'undone' } : { is: 'forward', said: lastSaid.text }
  }
  const [first] = gone
  const said = first?.kind === 'message' ? first.text : null
  if (said !== null && takenOn.get(first!.id)?.eventId === to + 1) return { is: 'before', said }
  const number = draft.checkpoints.get(to)
  if (number !== undefined) return { is: 'checkpoint', number }
  if (said !== null) return { is: 'before', said }
  return lastSaid ? { is: 'turn', said: lastSaid.text } : { is: 'beginning' }
}

/** The items of the story, without what rewinds removed; each rewind holds the items that it removed. */
export function currentItems(draft: StoryDraft): readonly Item[] {
  if (draft.rewinds.size === 0) return draft.items
  const newestFirst = [...draft.rewinds.keys()].reverse()
  const taken = new Map<number, Item[]>([...draft.rewinds.keys()].map((id) => [id, []]))
  const isPutBack = (item: Item) => draft.putBack.has(item.id)
  const said = draft.items.filter((item) => {
    if (isPutBack(item)) return true
    const by = isFolded(draft, item)
      ? folder(draft, item, newestFirst)
      : isSaid(draft, item)
        ? null
        : takenBy(draft, item, newestFirst)
    if (by === null) return true
    taken.get(by)?.push(item)
    return false
  })
  const shown = said.filter((item) => {
    const by = isPutBack(item) ? putBackBy(draft, item) : null
    // A rewind that was undone holds nothing.
    if (by === null || taken.get(by)?.length === 0) return true
    taken.get(by)?.push(item)
    return false
  })
  for (const [id, items] of taken) draft.rewinds.set(id, withTaken(draft.rewinds.get(id)!, items))
  return shown.map((item) => draft.rewinds.get(item.id) ?? item)
}

/** Whether no rewind has removed the item. */
export const isCurrent = (draft: StoryDraft, item: Item): boolean =>
  draft.rewinds.size === 0 || draft.putBack.has(item.id) || (!isFolded(draft, item) && isSaid(draft, item))

/** Files, checkpoints and commits of a rewound part are removed together with its conversation. */
const isFolded = (draft: StoryDraft, item: Item): boolean =>
  (item.kind === 'files' ||
    (item.kind === 'mark' && (item.mark.is === 'checkpoint' || item.mark.is === 'commit'))) &&
  isOfTakenPart(draft, item)

/** The rewind that removed such an item; null if none did. */
function folder(
  { conversationPlace }: StoryDraft,
  item: Item,
  newestFirst: readonly number[],
): number | null {
  const at = placeOf(item)
  return newestFirst.find((by) => conversationPlace.has(at, by - 1) && !conversationPlace.has(at, by)) ?? null
}

/** The rewind that restored these files; null if they were restored without a rewind. */
function putBackBy({ rewinds }: StoryDraft, item: Item): number | null {
  for (const [id, { mark }] of rewinds) if (mark.is === 'rewind' && mark.before === item.id - 1) return id
  return null
}

/** A checkpoint event comes after the point that it saves, and a rewind may go back to exactly that point. */
function placeOf(item: Item): number {
  const upTo = item.kind === 'mark' && item.mark.is === 'checkpoint' ? item.mark.upTo : item.id
  return Math.min(upTo, item.id)
}

const isOfTakenPart = ({ conversationPlace }: StoryDraft, item: Item): boolean =>
  !conversationPlace.has(placeOf(item))

/**
 * The newest rewind that removed an item; for an item that came too late to be part of the conversation, the rewind
 * before it.
 */
function takenBy(draft: StoryDraft, item: Item, newestFirst: readonly number[]): number {
  const takes = (at: number) => isSaid(draft, item, at - 1) && !isSaid(draft, item, at)
  return newestFirst.find(takes) ?? newestFirst.find((at) => at < item.id) ?? 0
}

/** The same object if nothing changed. */
function withTaken(item: MarkItem, taken: readonly Item[]): MarkItem {
  if (item.mark.is !== 'rewind') return item
  const { taken: before } = item.mark
  const isSame = before.length === taken.length && before.every((one, nth) => one === taken[nth])
  return isSame ? item : { ...item, mark: { ...item.mark, taken } }
}

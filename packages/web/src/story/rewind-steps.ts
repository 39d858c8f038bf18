import { rewindsTo } from '@farhand/protocol/runs/rewinds-to'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Item, MarkItem, MessageItem, RewindTo } from './story.ts'
import type { StoryDraft } from './story-draft.ts'

/** What a rewind takes away from the conversation; what happened to the run as a whole did happen, and stays where it is. */
const conversation = new Set<Item['kind']>([
  'message',
  'words',
  'thought',
  'tool',
  'plan',
  'question',
  'turn-end',
])

/** Whether an item is part of what is said now, or was after the event `asOf` (W39). */
function isSaid({ conversationPlace, takenOn }: StoryDraft, item: Item, asOf?: number): boolean {
  // A message belongs to the turn that began it, however long it waited for that.
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

/** What people would call the moment that a rewind, the event `at`, goes back to. */
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

/** The items of which the story is made: without what rewinds took away, which is with the rewinds that did. */
export function saidItems(draft: StoryDraft): readonly Item[] {
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
    // Of a rewind that was undone nothing is left to be folded.
    if (by === null || taken.get(by)?.length === 0) return true
    taken.get(by)?.push(item)
    return false
  })
  for (const [id, items] of taken) draft.rewinds.set(id, withTaken(draft.rewinds.get(id)!, items))
  return shown.map((item) => draft.rewinds.get(item.id) ?? item)
}

/** Files, checkpoints and commits of a part that was rewound go with what was said then. */
const isFolded = (draft: StoryDraft, item: Item): boolean =>
  (item.kind === 'files' ||
    (item.kind === 'mark' && (item.mark.is === 'checkpoint' || item.mark.is === 'commit'))) &&
  isOfTakenPart(draft, item)

/** The rewind that took such an item away; null if no rewind did. */
function folder(
  { conversationPlace }: StoryDraft,
  item: Item,
  newestFirst: readonly number[],
): number | null {
  const at = placeOf(item)
  return newestFirst.find((by) => conversationPlace.has(at, by - 1) && !conversationPlace.has(at, by)) ?? null
}

/** The rewind that files were put back for; null if they were put back by themselves. */
function putBackBy({ rewinds }: StoryDraft, item: Item): number | null {
  for (const [id, { mark }] of rewinds) if (mark.is === 'rewind' && mark.before === item.id - 1) return id
  return null
}

/** A checkpoint is told of after the moment that it keeps, and that moment may be the one that was gone back to. */
function placeOf(item: Item): number {
  const upTo = item.kind === 'mark' && item.mark.is === 'checkpoint' ? item.mark.upTo : item.id
  return Math.min(upTo, item.id)
}

const isOfTakenPart = ({ conversationPlace }: StoryDraft, item: Item): boolean =>
  !conversationPlace.has(placeOf(item))

/** The newest rewind that took an item away; or, if it was said too late to be part of anything, the one before it. */
function takenBy(draft: StoryDraft, item: Item, newestFirst: readonly number[]): number {
  const takes = (at: number) => isSaid(draft, item, at - 1) && !isSaid(draft, item, at)
  return newestFirst.find(takes) ?? newestFirst.find((at) => at < item.id) ?? 0
}

/** The same object if it is no news. */
function withTaken(item: MarkItem, taken: readonly Item[]): MarkItem {
  if (item.mark.is !== 'rewind') return item
  const { taken: before } = item.mark
  const isSame = before.length === taken.length && before.every((one, nth) => one === taken[nth])
  return isSame ? item : { ...item, mark: { ...item.mark, taken } }
}

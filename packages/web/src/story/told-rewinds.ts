import { rewindsTo } from '@farhand/protocol/conversation-place'
import type { SeenEvent } from '@farhand/protocol/seen-event'
import type { Draft } from './draft.ts'
import type { Item, MarkItem, MessageItem, RewindTo } from './story.ts'

/** What a rewind takes away; what happened to the run or to its files did happen, and stays where it is. */
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
function isSaid({ conversationPlace, takenOn }: Draft, item: Item, asOf?: number): boolean {
  // A message belongs to the turn that began it, however long it waited for that.
  const said = item.kind === 'message' ? (takenOn.get(item.id)?.eventId ?? item.id) : item.id
  return !conversation.has(item.kind) || conversationPlace.has(said, asOf)
}

export function rewind(draft: Draft, event: SeenEvent): void {
  const to = rewindsTo(event)
  if (to === null) return
  draft.endWords()
  const { id, timestamp } = event
  const mark = { is: 'rewind', to, where: whereTo(draft, id, to), taken: [] } as const
  draft.rewinds.set(id, { kind: 'mark', id, at: timestamp, mark })
  draft.add(draft.rewinds.get(id)!)
}

/** What people would call the moment that a rewind, the event `at`, goes back to. */
function whereTo(draft: Draft, at: number, to: number): RewindTo {
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
export function saidItems(draft: Draft): readonly Item[] {
  if (draft.rewinds.size === 0) return draft.items
  const newestFirst = [...draft.rewinds.keys()].reverse()
  const taken = new Map<number, Item[]>([...draft.rewinds.keys()].map((id) => [id, []]))
  const said = draft.items.filter((item) => {
    if (isSaid(draft, item)) return true
    taken.get(takenBy(draft, item, newestFirst))?.push(item)
    return false
  })
  for (const [id, items] of taken) draft.rewinds.set(id, withTaken(draft.rewinds.get(id)!, items))
  return said.map((item) => draft.rewinds.get(item.id) ?? withPart(draft, item))
}

/** An item, which says that it is of a part that was rewound where it is; the same object each time. */
function withPart(draft: Draft, item: Item): Item {
  if (!isOfTakenPart(draft, item)) return item
  const told = draft.takenParts.get(item) ?? asTakenBack(item)
  draft.takenParts.set(item, told)
  return told
}

function asTakenBack(item: Item): Item {
  if (item.kind === 'files') return { ...item, isTakenBack: true }
  if (item.kind !== 'mark') return item
  const { mark } = item
  return mark.is === 'checkpoint' || mark.is === 'commit'
    ? { ...item, mark: { ...mark, isTakenBack: true } }
    : item
}

function isOfTakenPart({ conversationPlace, putBack }: Draft, item: Item): boolean {
  // A checkpoint is told of after the moment that it keeps, and that moment may be the one that was gone back to.
  const upTo = item.kind === 'mark' && item.mark.is === 'checkpoint' ? item.mark.upTo : item.id
  const at = Math.min(upTo, item.id)
  return !putBack.has(item.id) && !conversationPlace.has(at)
}

/** The newest rewind that took an item away; or, if it was said too late to be part of anything, the one before it. */
function takenBy(draft: Draft, item: Item, newestFirst: readonly number[]): number {
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

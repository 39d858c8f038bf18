import type { Item, MarkItem } from '@farhand/story/items/story'

/** A failed run: the reason once, and the steps that led to it, which repeat the reason for each try. */
export type FailureItem = {
  kind: 'failure'
  id: number
  at: string
  reason: string | null
  steps: readonly Item[]
}

const failures = new WeakMap<Item, FailureItem>()

/**
 * Joins each failure of the run with the items that led to it: steps of the start, and notices that only repeat the
 * reason. A warning about something else stays where it is.
 */
export function withFailures(items: readonly Item[]): readonly (Item | FailureItem)[] {
  if (!items.some(isFailure)) return items
  const all: (Item | FailureItem)[] = []
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at]!
    if (!isFailure(item)) {
      all.push(item)
      continue
    }
    const reason = item.mark.reason ?? ''
    const before: Item[] = []
    const others: (Item | FailureItem)[] = []
    for (let last = all.at(-1); last && isOfStart(last); last = all.at(-1)) {
      all.pop()
      if (last.kind === 'mark' ? isQuiet(last, reason) : repeats(last, reason)) before.unshift(last as Item)
      else others.unshift(last)
    }
    const after: Item[] = []
    for (let next = items[at + 1]; next && repeats(next, reason); next = items[at + 1]) {
      after.push(next)
      at += 1
    }
    all.push(...others, failureOf(item, [...before, ...after]))
  }
  return all
}

type FailedMark = MarkItem & { mark: { is: 'status'; reason: string | null } }

const isFailure = (item: Item): item is FailedMark =>
  item.kind === 'mark' && item.mark.is === 'status' && item.mark.status === 'failed'

/** Any other item ends the failed start. */
const isOfStart = (item: Item | FailureItem): boolean =>
  item.kind === 'notice' || (item.kind === 'mark' && ['phase', 'agent', 'device'].includes(item.mark.is))

function isQuiet({ mark }: MarkItem, reason: string): boolean {
  if (mark.is !== 'phase' || mark.state !== 'failed') return true
  return mark.error === null || isIn(mark.error, reason)
}

function repeats(item: Item | FailureItem, reason: string): boolean {
  if (item.kind !== 'notice' || reason === '') return false
  const [, said = item.text] = /^[^:]*: ([\s\S]*)$/.exec(item.text) ?? []
  return item.text.includes(reason) || isIn(said, reason)
}

const isIn = (text: string, reason: string) => reason.includes(text.trim().replace(/\.$/, ''))

/** The same object while its steps are the same. */
function failureOf(item: FailedMark, steps: readonly Item[]): FailureItem {
  const before = failures.get(item)
  if (before?.steps.length === steps.length && before.steps.every((one, nth) => one === steps[nth]))
    return before
  const failure: FailureItem = { kind: 'failure', id: item.id, at: item.at, reason: item.mark.reason, steps }
  failures.set(item, failure)
  return failure
}

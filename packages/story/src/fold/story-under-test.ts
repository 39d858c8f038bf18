import { type Line, sampleLog } from '@farhand/protocol/events/sample-log'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Item, Story } from '../items/story.ts'
import { StoryFold } from './story-fold.ts'

/** For tests: the story of these events, from the first one of their log. */
export function toldOf(events: readonly SeenEvent[]): Story {
  const fold = new StoryFold()
  for (const event of events) fold.take(event)
  return fold.story
}

/** For tests: the story of a log with these lines. */
export const told = (...lines: Line[]): Story => toldOf(sampleLog(...lines))

/** For tests: the items of this kind. */
export const itemsOf = <Kind extends Item['kind']>({ items }: Story, kind: Kind) =>
  items.filter((item): item is Extract<Item, { kind: Kind }> => item.kind === kind)

/** For tests: each item in a few words. */
export const outline = ({ items }: Story): string[] => outlineOf(items)

export const outlineOf = (items: readonly Item[]): string[] =>
  items.map((item) => {
    switch (item.kind) {
      case 'message':
        return `${item.state}: ${item.text}`
      case 'words':
      case 'thought':
        return `${item.kind}: ${item.text}`
      case 'tool':
        return `tool ${item.call}: ${item.status}`
      case 'mark':
        return `mark: ${item.mark.is}`
      case 'notice':
        return `${item.level}: ${item.text}`
      default:
        return item.kind
    }
  })

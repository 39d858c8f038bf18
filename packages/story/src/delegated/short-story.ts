import { bothEnds } from '@farhand/protocol/text/plain-text'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { keepNewest } from '../fold/changed-items.ts'
import { StoryFold } from '../fold/story-fold.ts'
import { noCuts } from '../items/cut-text.ts'
import type { Item, ToolContent } from '../items/story.ts'

const mostItems = 1000
const mostText = 20_000
const mostToolText = 2000
const mostContents = 5
/** By the ids of events, so that what is forgotten depends on the log alone. */
const shortenEvery = 50

/**
 * A story for a hub, which follows many runs at once, for days, with agents that may say anything: of its items the newest are kept, and of each
 * as much as frames and cards show.
 */
export class ShortStory {
  readonly fold = new StoryFold()

  /** Takes an event; `look` is called before anything of it is forgotten. */
  take<Seen>(event: SeenEvent, look: (fold: StoryFold) => Seen): Seen {
    this.fold.take(event)
    const seen = look(this.fold)
    if (event.id % shortenEvery === 0) this.#shorten()
    return seen
  }

  #shorten(): void {
    keepNewest(this.fold, mostItems)
    const { draft } = this.fold
    for (let at = Math.max(0, draft.items.length - mostItems); at < draft.items.length; at++)
      draft.items[at] = shortItem(draft.items[at]!)
    draft.changed.clear()
  }
}

function shortItem(item: Item): Item {
  switch (item.kind) {
    case 'words':
      if (item.text.length <= mostText && item.images.length === 0) return item
      return { ...item, text: bothEnds(item.text, mostText), cuts: noCuts, images: [] }
    case 'thought':
      if (item.text.length <= mostText) return item
      return { ...item, text: bothEnds(item.text, mostText), cuts: noCuts }
    case 'tool':
      return {
        ...item,
        content: item.content.slice(0, mostContents).map(shortContent),
        input: null,
        output: typeof item.output === 'string' ? item.output.slice(0, mostToolText) : null,
        report: item.report && { ...item.report, text: item.report.text.slice(0, mostToolText) },
      }
    default:
      return item
  }
}

function shortContent(content: ToolContent): ToolContent {
  if (content.is === 'text') return { ...content, text: content.text.slice(0, mostToolText) }
  if (content.is === 'blob') return { ...content, head: content.head.slice(0, mostToolText) }
  if (content.is === 'diff') return { ...content, before: null, after: '' }
  return { is: 'text', text: '' }
}

import { bothEnds } from '@farhand/protocol/text/plain-text'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { keepNewest } from '../fold/changed-items.ts'
import { StoryFold } from '../fold/story-fold.ts'
import { noCuts } from '../items/cut-text.ts'
import type { Item, MessageItem, QuestionItem, ToolContent } from '../items/story.ts'

const mostItems = 1000
const mostText = 20_000
const mostToolText = 2000
const mostContents = 5
/** By the ids of events, so that what is forgotten depends on the log alone. */
const shortenEvery = 50
/** What a story holds when it has been shortened, and how much it may take until it is shortened again; in characters of JSON. */
const mostInAll = 256 * 1024
const mostList = 100
const mostOldText = 200

/**
 * A story for a hub, which follows many runs at once, for days, with agents that may say anything: of its items the newest are kept, and of each
 * as much as frames and cards show.
 */
export class ShortStory {
  readonly fold = new StoryFold()
  #taken = 0

  /** Takes an event; `look` is called before anything of it is forgotten. */
  take<Seen>(event: SeenEvent, look: (fold: StoryFold) => Seen): Seen {
    this.fold.take(event)
    const seen = look(this.fold)
    // Counts what the log has, so that this too depends on the log alone.
    this.#taken += JSON.stringify(event.notification).length
    if (event.id % shortenEvery === 0 || this.#taken > mostInAll) this.#shorten()
    return seen
  }

  #shorten(): void {
    this.#taken = 0
    keepNewest(this.fold, mostItems)
    const { draft } = this.fold
    const { items } = draft
    let room = mostInAll
    let kept = 0
    for (let at = items.length - 1; at >= draft.forgotten; at--) {
      items[at] = shortItem(items[at]!)
      if (room < mostInAll / 2) items[at] = outline(items[at]!)
      room -= JSON.stringify(items[at]).length
      // The newest is kept: it is what a card shows.
      if (room >= 0 || kept === 0) kept = items.length - at
    }
    const before = draft.forgotten
    keepNewest(this.fold, kept)
    for (let at = before; at < draft.forgotten; at++) items[at] = outline(items[at]!)
    draft.queue = draft.queue.map(outlined)
    draft.changed.clear()
  }
}

/** Of an older item, what a list of steps shows. */
function outline(item: Item): Item {
  if (item.kind === 'message') return outlined(item)
  if (item.kind === 'words' || item.kind === 'thought')
    return item.text.length <= mostOldText
      ? item
      : { ...item, text: item.text.slice(0, mostOldText), cuts: noCuts }
  if (item.kind !== 'tool') return item
  return {
    ...item,
    title: item.title.slice(0, mostOldText),
    command: item.command?.slice(0, mostOldText) ?? null,
    ...{ content: [], places: item.places.slice(0, 1), output: null, report: null },
  }
}

const outlined = (item: MessageItem): MessageItem =>
  item.text.length <= mostOldText && item.attachments.length === 0
    ? item
    : { ...item, text: item.text.slice(0, mostOldText), attachments: [] }

function shortItem(item: Item): Item {
  switch (item.kind) {
    case 'words':
      if (item.text.length <= mostText && item.images.length === 0) return item
      return { ...item, text: bothEnds(item.text, mostText), cuts: noCuts, images: [] }
    case 'thought':
      if (item.text.length <= mostText) return item
      return { ...item, text: bothEnds(item.text, mostText), cuts: noCuts }
    case 'message':
      return {
        ...item,
        text: bothEnds(item.text, mostText),
        attachments: item.attachments.slice(0, mostContents),
      }
    case 'tool':
      return {
        ...item,
        title: item.title.slice(0, mostToolText),
        command: item.command?.slice(0, mostToolText) ?? null,
        places: shortList(item.places),
        content: item.content.slice(0, mostContents).map(shortContent),
        input: null,
        output: typeof item.output === 'string' ? item.output.slice(0, mostToolText) : null,
        report: item.report && { ...item.report, text: item.report.text.slice(0, mostToolText) },
        question: item.question && shortQuestion(item.question),
      }
    case 'question':
      return shortQuestion(item)
    case 'notice':
      if (item.text.length <= mostToolText) return item
      return { ...item, text: bothEnds(item.text, mostToolText), cuts: noCuts }
    case 'plan':
      return { ...item, steps: shortList(item.steps) }
    case 'shell':
      return {
        ...item,
        command: item.command.slice(0, mostToolText),
        output: item.output.slice(-mostContents).map(({ text, isError }) => ({
          ...{ text: text.slice(0, mostToolText), cuts: noCuts, isError },
        })),
      }
    case 'files':
      return { ...item, files: shortList(item.files) }
    case 'turn-end':
      return {
        ...item,
        error: item.error && bothEnds(item.error, mostToolText),
        raw: item.raw && bothEnds(item.raw, mostToolText),
      }
    case 'mark':
      return { ...item, mark: withShortTexts(item.mark) }
  }
}

/** An open question stays whole: its user must see all of what they answer. */
const shortQuestion = (item: QuestionItem): QuestionItem =>
  item.state === 'open' || item.state === 'given' || JSON.stringify(item).length <= mostText
    ? item
    : {
        ...item,
        text: bothEnds(item.text, mostToolText),
        cuts: noCuts,
        answer: null,
        asked: withShortTexts(item.asked),
      }

const shortList = <One extends object>(list: readonly One[]): readonly One[] =>
  list.slice(0, mostList).map(withShortTexts)

/** The same with each of its own texts shortened. */
function withShortTexts<Value extends object>(value: Value): Value {
  const isLong = (one: unknown) => typeof one === 'string' && one.length > mostToolText
  if (!Object.values(value).some(isLong)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isLong(one) ? bothEnds(one, mostToolText) : one]),
  ) as Value
}

function shortContent(content: ToolContent): ToolContent {
  if (content.is === 'text') return { ...content, text: content.text.slice(0, mostToolText) }
  if (content.is === 'blob') return { ...content, head: content.head.slice(0, mostToolText) }
  if (content.is === 'diff') return { ...content, before: null, after: '' }
  return { is: 'text', text: '' }
}

import { isEvent } from '@farhand/protocol/events/event-names'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { takeFresh } from '@farhand/story/fold/changed-items'
import { StoryFold } from '@farhand/story/fold/story-fold'
import type { Item, QuestionItem, ThoughtItem, WordsItem } from '@farhand/story/items/story'
import { outcomeInWords } from '@farhand/story/wording/outcome-in-words'
import {
  type AgentOffers,
  agentOffers,
  noOffers,
  offerChanges,
  runModeInWords,
} from '../agent-controls/agent-offers.ts'
import { firstLine, shownText } from '../printing/shown-text.ts'
import { changesOf, itemInPieces } from './item-in-pieces.ts'
import type { Piece } from './piece.ts'

/** The user will not scroll back further than this many characters. */
const mostShown = 100_000
/** What an item that is no text counts for. */
const lengthOfLine = 100

/** What the user did with a question on this screen. */
type Known = { isShown: boolean; own: { answer: unknown } | null }

/**
 * Reads the story of a run to a user: of each item what is new since it was last read. A terminal cannot take lines back, so
 * nothing is read twice.
 */
export class StoryReader {
  readonly #fold = new StoryFold()
  readonly #isFar: boolean
  /** The last event that the user has seen before; null if none. */
  readonly #lookedAt: number | null
  /** Each item as it was read last. */
  readonly #read = new Map<number, Item>()
  readonly #said: string[] = []
  readonly #questions = new Map<string, Known>()
  /** The changes of tools that were shown with a question, as JSON. */
  readonly #shownChanges = new Map<number, string>()
  /** Texts about the agent's and the run's settings, which are no items. */
  #settings: string[] = []
  #offers = noOffers
  #lastId = 0
  #hasMessage = false
  #reminder: { message: string | null; words: Item | null } | null = null

  constructor(isFar = false, lookedAt: number | null = null) {
    this.#isFar = isFar
    this.#lookedAt = lookedAt
    this.#fold.madeIn = isFar ? 'sandbox' : 'none'
  }

  /** The modes and settings that the agent offers, with their current values. */
  get offers(): AgentOffers {
    return this.#offers
  }

  /** The user is about to send this message, which is on the screen already: it is not shown when it comes back. */
  saying(content: string): void {
    this.#said.push(content)
  }

  /** The question is on the screen: its end need not repeat it. */
  asked(questionId: string): void {
    this.#known(questionId).isShown = true
  }

  answering(questionId: string, answer: unknown): void {
    this.#known(questionId).own = { answer }
  }

  /** The changes that an open tool call would make, to show with its question: they are not shown again at its end. */
  changesOf(toolCallId: string): readonly unknown[] {
    const tool = this.#fold.story.items.findLast((item) => item.kind === 'tool' && item.call === toolCallId)
    if (tool?.kind !== 'tool') return []
    const changes = changesOf(tool)
    this.#shownChanges.set(tool.id, JSON.stringify(changes))
    return changes
  }

  /** Takes an event from before the user came; `isIdle`: no turn is under way at it. */
  past(event: SeenEvent, isIdle: boolean): void {
    // A conversation that begins again on this screen has all of the log before it again.
    if (event.id <= this.#lastId) return
    // A reader of some events only may never see the one with exactly that id.
    if (this.#lookedAt !== null && event.id > this.#lookedAt && !this.#reminder) this.#remember()
    const isMessage = isEvent(event.notification, 'user_message')
    // Without a place where the user left, they are shown the newest turn.
    if (isMessage && this.#hasMessage && isIdle && !this.#reminder) this.#pass()
    this.#hasMessage ||= isMessage
    this.#take(event)
    if (event.id === this.#lookedAt) this.#remember()
  }

  /** What the user has not seen of the past, and before it lines that remind them of what they have seen. */
  present(): { reminder: string[]; pieces: Piece[] } {
    this.#settings = []
    const items = this.#fold.story.items
    const isContinued = (item: Item) => {
      const before = this.#read.get(item.id)
      return isText(item) && before !== undefined && isText(before) && before.text.length < item.text.length
    }
    const said = this.#reminder?.words
    const isWhole = !items.some((item) => item.id === said?.id && isContinued(item))
    // The user left in the middle of a text: they are shown it from its beginning.
    for (const item of items) if (isContinued(item)) this.#read.delete(item.id)
    const isCut = this.#leaveOut(items)
    const { message = null } = this.#reminder ?? {}
    const reminder = [
      ...(message === null ? [] : [`… > ${shortened(message)}`]),
      ...(said && isText(said) && isWhole && !isCut ? [`… ${shortened(said.text)}`] : []),
      ...(isCut ? ['… Too much has happened to show all of it: this is the end.'] : []),
    ]
    takeFresh(this.#fold)
    return { reminder, pieces: this.#pieces(true) }
  }

  /** Takes new events, and returns what is new, without control characters. */
  take(events: readonly SeenEvent[]): Piece[] {
    for (const event of events) this.#take(event)
    return this.#pieces(false)
  }

  #take(event: SeenEvent): void {
    const before = this.#offers
    this.#lastId = event.id
    this.#fold.take(event)
    this.#offers = agentOffers(before, event)
    if (isEvent(event.notification, 'session/update'))
      this.#settings.push(...offerChanges(before, this.#offers))
    const { mode, policy } = event.notification.params ?? {}
    if (isEvent(event.notification, 'mode_change') && typeof mode === 'string')
      this.#settings.push(runModeInWords(mode, policy))
  }

  /** Everything so far counts as read. */
  #pass(): void {
    for (const item of this.#fold.story.items) this.#read.set(item.id, item)
  }

  #remember(): void {
    this.#pass()
    const { items } = this.#fold.story
    const at = items.findLastIndex(({ kind }) => kind === 'message')
    const message = items[at]
    const words = items.slice(at + 1).findLast((item) => item.kind === 'words')
    this.#reminder = {
      message: message?.kind === 'message' ? message.text : null,
      words: words ?? null,
    }
  }

  /** Counts the oldest unread items as read if there are too many; returns whether there were. */
  #leaveOut(items: readonly Item[]): boolean {
    const unread = items.filter((item) => this.#read.get(item.id) !== item)
    let room = mostShown
    for (const item of unread.toReversed()) {
      // A text that the user has read may only have ended since.
      const length = isText(item) ? (this.#read.has(item.id) ? 0 : item.text.length) : lengthOfLine
      if (room <= 0) this.#read.set(item.id, item)
      else if (isText(item) && length > room)
        this.#read.set(item.id, { ...item, text: item.text.slice(0, -room), cuts: [] })
      room -= length
    }
    return room < 0
  }

  #pieces(isPast: boolean): Piece[] {
    const { view } = this.#fold
    const items = isPast
      ? this.#fold.story.items.map((item) => ({ item, fresh: null }))
      : takeFresh(this.#fold)
    const where = { isFar: this.#isFar, isBeginning: view.turns === 0 && view.openTurns.length === 0 }
    const all: Piece[] = []
    for (const { item, fresh } of items) {
      const before = this.#read.get(item.id) ?? null
      const isOpenTool = item.kind === 'tool' && item.endedAt === null
      if (before === item && !fresh && !(isPast && isOpenTool)) continue
      this.#read.set(item.id, item)
      all.push(
        ...itemInPieces(item, before ?? this.#ownMessage(item), where, fresh),
        ...this.#questionEnd(item, before),
      )
    }
    for (const text of this.#settings) all.push({ as: 'line', text })
    this.#settings = []
    return all.map((piece) => this.#shown(piece))
  }

  /** Of a message that this user has sent, nothing is new when it comes back. */
  #ownMessage(item: Item): Item | null {
    const at = item.kind === 'message' ? this.#said.indexOf(item.text) : -1
    if (item.kind !== 'message' || at === -1) return null
    this.#said.splice(at, 1)
    return { ...item, state: 'waiting' }
  }

  #shown(piece: Piece): Piece {
    if (piece.as === 'tool') {
      const isShown = this.#shownChanges.get(piece.id) === JSON.stringify(piece.changes)
      return isShown ? { ...piece, changes: [] } : piece
    }
    return 'text' in piece ? { ...piece, text: shownText(piece.text) } : piece
  }

  #known(questionId: string): Known {
    const known = this.#questions.get(questionId) ?? { isShown: false, own: null }
    this.#questions.set(questionId, known)
    return known
  }

  /** How a question has ended, unless the user knows it already. */
  #questionEnd(item: Item, before: Item | null): Piece[] {
    const question = questionOf(item)
    const was = before && questionOf(before)
    if (!question || !isEnded(question)) return []
    if (was && was.asked.questionId === question.asked.questionId && isEnded(was)) return []
    const { isShown, own } = this.#known(question.asked.questionId)
    this.#questions.delete(question.asked.questionId)
    const { state, answer, why } = question
    const isOwn = own && JSON.stringify(own.answer) === JSON.stringify(answer)
    if (isOwn && state === 'answered' && why === null) return []
    const lines = [
      ...(isShown ? [] : [`? ${firstLine(question.asked.question)}`]),
      `  ${firstLine(outcomeInWords(question, own) ?? '', 500)}`,
    ]
    return lines.map((text) => ({ as: 'faint', text }))
  }
}

const isText = (item: Item): item is WordsItem | ThoughtItem =>
  item.kind === 'words' || item.kind === 'thought'
const questionOf = (item: Item): QuestionItem | null =>
  item.kind === 'question' ? item : item.kind === 'tool' ? item.question : null
/** Of a question whose agent is gone, the end is still to come. */
const isEnded = ({ state }: QuestionItem) => state !== 'open' && state !== 'given' && state !== 'gone'

/** The first line; an ellipsis says that there was more. */
function shortened(text: string): string {
  const line = firstLine(text)
  return line.endsWith('…') || !text.trim().includes('\n') ? line : `${line} …`
}

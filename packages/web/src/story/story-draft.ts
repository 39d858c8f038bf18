import { ConversationEvents } from '@farhand/protocol/runs/conversation-events'
import { type ChangedRow, withRenames } from './renames.ts'
import type { AgentSide, Item, MarkItem, MessageItem, Usage } from './story.ts'
import { Costs } from './usage.ts'

/** What the agent is saying and may go on saying: the next chunk of the same kind and message is added to it. */
type Growing = { at: number; messageId: string | null }

/**
 * A story while it is told. Items are replaced, never changed: whoever shows the one before can tell by its identity.
 * They keep their places, so that a place is a name for an item.
 */
export class StoryDraft {
  /** Where the run works as long as it was not moved (W46), as far as that is known. */
  madeIn: string | null = null
  readonly items: Item[] = []
  queue: readonly MessageItem[] = []
  agent: AgentSide = { name: null, commands: [], modes: [], mode: null, options: [], hearsSteering: null }
  usage: Usage = { inputTokens: null, outputTokens: null, context: null, costUsd: null }
  readonly costs = new Costs()
  growing: Growing | null = null
  /** The event with which each message was taken on first, and when its turn last began. */
  readonly takenOn = new Map<number, { eventId: number; at: string }>()
  /** The files of the item of files that was told last; `isNews`: that item does not have all of them yet. */
  fileRows: { at: number; rows: Map<string, ChangedRow>; isNews: boolean } | null = null
  /** Items of files that put others back: such a one is before the rewind that it belongs to. */
  readonly putBack = new Set<number>()
  /** What each file was when it was last told of. */
  readonly fileHashes = new Map<string, string>()
  /** Which call a question is about whose buttons are in the card of that call. */
  readonly questionsInTools = new Map<string, string>()
  /** Since which event the agent is the one that it is: it may call its tools as the one before did. */
  agentSince = 0
  /** The folder in which that agent works, as it knows it. */
  workspace: string | null = null
  /** The turn that began last: what is planned in it is one plan. */
  turnSince = 0
  readonly conversationPlace = new ConversationEvents()
  /** The marks of the rewinds as they were last told, oldest first, by their events. */
  readonly rewinds = new Map<number, MarkItem>()
  /** The numbers of the checkpoints by the last event of which they have the files. */
  readonly checkpoints = new Map<number, number>()
  readonly #places = new Map<string, number>()

  /** Adds an item; under its name later events find it. */
  add(item: Item, name?: string): void {
    if (name !== undefined) this.#places.set(name, this.items.length)
    this.items.push(item)
  }

  place(name: string): number | undefined {
    return this.#places.get(name)
  }

  /** The item of this name, if it is of this kind. */
  find<Kind extends Item['kind']>(kind: Kind, name: string): Extract<Item, { kind: Kind }> | null {
    const item = this.items[this.#places.get(name) ?? -1]
    return item?.kind === kind ? (item as Extract<Item, { kind: Kind }>) : null
  }

  replace(name: string, item: Item): void {
    const at = this.#places.get(name)
    if (at !== undefined) this.items[at] = item
  }

  /** Lists the files that were told last. Not with each of them: an agent may write a hundred thousand. */
  listFiles(): void {
    const item = this.fileRows && this.items[this.fileRows.at]
    if (!this.fileRows?.isNews || item?.kind !== 'files') return
    this.items[this.fileRows.at] = { ...item, files: withRenames([...this.fileRows.rows.values()]) }
    this.fileRows.isNews = false
  }

  /** What the agent was saying is said: whatever it says next stands on its own. */
  endWords(): void {
    if (this.growing === null) return
    const item = this.items[this.growing.at]
    if (item?.kind === 'words' || item?.kind === 'thought')
      this.items[this.growing.at] = { ...item, isOpen: false }
    this.growing = null
  }
}

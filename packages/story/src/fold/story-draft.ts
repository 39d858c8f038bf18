import { ConversationEvents } from '@farhand/protocol/runs/conversation-events'
import type { AgentSide, ChangedPath, Item, MarkItem, MessageItem, Usage } from '../items/story.ts'
import { CreatedInTurn } from './created-in-turn.ts'
import type { FreshParts } from './fresh-parts.ts'
import { type ChangedRow, withRenames } from './renames.ts'
import { Costs } from './usage.ts'

/** The text that the agent is writing: the next chunk of the same kind and message is added to it. */
type Growing = { at: number; messageId: string | null }

/**
 * A story under construction. Items are replaced, never changed, so that a view can compare them by identity. An
 * item keeps its index, so that the index identifies it.
 */
export class StoryDraft {
  /** Where the run was created to work; valid until it moves (W46). Null if unknown. */
  madeIn: string | null = null
  readonly items: Item[] = []
  queue: readonly MessageItem[] = []
  agent: AgentSide = { name: null, commands: [], modes: [], mode: null, options: [], hearsSteering: null }
  usage: Usage = { inputTokens: null, outputTokens: null, context: null, costUsd: null }
  readonly costs = new Costs()
  growing: Growing | null = null
  /** For each message, the event that first started it, and when its turn last started. */
  readonly takenOn = new Map<number, { eventId: number; at: string }>()
  /** The files of the newest item of files; `isNews`: the item does not have all of them yet. */
  fileRows: { at: number; rows: Map<string, ChangedRow>; isNews: boolean } | null = null
  readonly createdInTurn = new CreatedInTurn()
  /** By item and place in its list: renames whose second half came later, and which the item does not have yet. */
  readonly lateRenames = new Map<number, Map<number, ChangedPath>>()
  /** Items of restored files; such an item comes right before its rewind. */
  readonly putBack = new Set<number>()
  /** The last known hash of each file. */
  readonly fileHashes = new Map<string, string>()
  /** For each question that is shown in a tool card, the call of that card. */
  readonly questionsInTools = new Map<string, string>()
  /** The event that started the current agent, which may reuse call ids of the agent before it. */
  agentSince = 0
  /** The agent's name for its working folder. */
  workspace: string | null = null
  /** The event that started the last turn: a turn has one plan. */
  turnSince = 0
  readonly conversationPlace = new ConversationEvents()
  /** The marks of all rewinds by event, oldest first. */
  readonly rewinds = new Map<number, MarkItem>()
  /** The numbers of the checkpoints, by the last event that they include. */
  readonly checkpoints = new Map<number, number>()
  readonly #places = new Map<string, number>()
  /** The indexes of the items that have changed since a reader last asked, and how many were looked at to be forgotten. */
  readonly changed = new Set<number>()
  forgotten = 0
  /** Null without a reader that takes the fresh parts. */
  fresh: FreshParts | null = null

  /** Adds an item; later events find it by this name. */
  add(item: Item, name?: string): void {
    if (name !== undefined) this.#places.set(name, this.items.length)
    this.put(this.items.length, item)
  }

  put(at: number, item: Item): void {
    this.items[at] = item
    this.changed.add(at)
  }

  place(name: string): number | undefined {
    return this.#places.get(name)
  }

  /** The item of this name, if it has this kind. */
  find<Kind extends Item['kind']>(kind: Kind, name: string): Extract<Item, { kind: Kind }> | null {
    const item = this.items[this.#places.get(name) ?? -1]
    return item?.kind === kind ? (item as Extract<Item, { kind: Kind }>) : null
  }

  replace(name: string, item: Item): void {
    const at = this.#places.get(name)
    if (at !== undefined) this.put(at, item)
  }

  /**
   * Writes the collected files and renames into their items. Doing this for each file would be slow: an agent may write a
   * hundred thousand.
   */
  listFiles(): void {
    this.listCollected()
    this.listLateRenames()
  }

  listLateRenames(): void {
    for (const [at, renames] of this.lateRenames) {
      const item = this.items[at]
      if (item?.kind !== 'files') continue
      const files = [...item.files]
      for (const [nth, file] of renames) files[nth] = file
      this.fresh?.addRenamed(at, item, renames)
      this.put(at, { ...item, files })
    }
    this.lateRenames.clear()
  }

  listCollected(): void {
    const item = this.fileRows && this.items[this.fileRows.at]
    if (!this.fileRows?.isNews || item?.kind !== 'files') return
    this.put(this.fileRows.at, { ...item, files: withRenames([...this.fileRows.rows.values()]) })
    this.fileRows.isNews = false
  }

  /** Ends the text that the agent was writing; the next chunk starts a new item. */
  endWords(): void {
    if (this.growing === null) return
    const item = this.items[this.growing.at]
    if (item?.kind === 'words' || item?.kind === 'thought')
      this.put(this.growing.at, { ...item, isOpen: false })
    this.growing = null
  }
}

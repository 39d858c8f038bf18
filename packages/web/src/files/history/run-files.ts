import { eventName, eventsNamed } from '@farhand/protocol/events/event-names'
import { fileIntents } from '@farhand/protocol/files/file-intents'
import { FileVersions, type Version } from '@farhand/protocol/files/file-versions'
import { Ack, UserMessage } from '@farhand/protocol/methods/conversation'
import type { FileEntry } from '@farhand/protocol/methods/files'
import { GitCommit } from '@farhand/protocol/methods/git'
import { DeviceStart } from '@farhand/protocol/methods/settings'
import { ConversationEvents } from '@farhand/protocol/runs/conversation-events'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { isObject } from '../../story/untyped-values.ts'

/** A moment that files can be compareContents with: the workspace as it was right after `eventId`. */
export type Point = { is: 'beginning'; eventId: number } | (LaterPoint & { isTakenBack: boolean })
type LaterPoint =
  | { is: 'checkpoint'; eventId: number; at: string; number: number | null }
  /** Right before the agent began with a message; it is taken back if the message is. */
  | { is: 'message'; eventId: number; at: string; number: number; text: string }

const mostPoints = 100
const isTold = eventsNamed('ack', 'git_commit', 'device_start', 'rewind')

/** What the files of a run have been, and the moments one may want to compare with: a fold over its log. */
export class RunFiles {
  readonly versions = new FileVersions()
  /** Which of its events a rewind took back. */
  readonly conversation = new ConversationEvents()
  /** What devices are called, by their ids. */
  readonly deviceNames = new Map<string, string>()
  readonly #sizes = new Map<string, number>()
  /** What was at a path before the log spoke of it, by whoever was the first to speak of it. */
  readonly #before = new Map<WorkspacePath, FileEntry | null>()
  readonly #newest = new Map<WorkspacePath, number>()
  readonly #messages = new Map<number, string>()
  readonly #points: LaterPoint[] = []
  /** Events that put files back: those of a rewind come before it. */
  readonly #putBack = new Set<number>()
  readonly #begun = new Set<number>()
  #base: number | null = null
  #firstTurn: number | null = null

  /** Takes the next event; gives whether anything that can be asked for here is different since. */
  take(event: SeenEvent): boolean {
    const { method, params } = event.notification
    const { changes, kept } = this.versions.take(event)
    this.conversation.take(event)
    if (changes.length > 0) this.#note(event, changes)
    else this.#mark(event)
    const name = eventName(method) === 'device_start' && DeviceStart.safeParse(params).data?.name
    if (name && event.by.kind === 'device') this.deviceNames.set(event.by.id, name)
    return changes.length + kept.length > 0 || isTold(event.notification)
  }

  /** The event up to which this is true. */
  get cursor(): number {
    return this.versions.cursor
  }

  /** Every path at which there is a file now, in no promised order. */
  paths(): Iterable<WorkspacePath> {
    return this.versions.tree.paths()
  }

  /** Every path that was changed after an event, in no promised order. */
  *touchedSince(eventId: number): Generator<WorkspacePath> {
    for (const [path, newest] of this.#newest) if (newest > eventId) yield path
  }

  /** The versions of a path that were in the tree once, newest first. */
  counted(path: WorkspacePath): Version[] {
    return this.versions.of(path).filter(({ state }) => state !== 'overruled' && state !== 'kept')
  }

  /** What a path was right after an event; undefined if nobody ever said. */
  entryAt(path: WorkspacePath, eventId: number): FileEntry | null | undefined {
    const then = this.counted(path).find((version) => version.eventId <= eventId)
    return then ? then.entry : this.#before.get(path)
  }

  /** How large contents are, as far as the log says so. */
  sizeOf(hash: string): number | null {
    return this.#sizes.get(hash) ?? null
  }

  /** The moments to compare with: the beginning, then the newest of the others, newest first. */
  points(): Point[] {
    const eventId = this.#firstTurn ?? this.#base ?? 0
    const newest = this.#points.slice(-mostPoints).toReversed()
    return [{ is: 'beginning', eventId }, ...newest.map((point) => this.#told(point))]
  }

  /** Whether a version is of a part of the run that was rewound; the file itself may not have been put back. */
  isTakenBack({ eventId }: Pick<Version, 'eventId'>): boolean {
    return !this.#putBack.has(eventId) && !this.conversation.has(eventId)
  }

  #told(point: LaterPoint): Point {
    // A message is begun by the event after the moment that is called after it.
    const at = point.is === 'message' ? point.eventId + 1 : point.eventId
    return { ...point, isTakenBack: !this.conversation.has(at) }
  }

  #note({ id, notification }: SeenEvent, changes: readonly { path: WorkspacePath; before: unknown }[]): void {
    const intents = fileIntents(notification)
    const said = new Map(intents.map((intent) => [intent.path, intent.was]))
    for (const { path, before } of changes) {
      this.#newest.set(path, id)
      const was = said.get(path)
      if (before === undefined && was !== undefined && !this.#before.has(path)) this.#before.set(path, was)
    }
    const { params } = notification
    if (isObject(params?.undoes)) this.#putBack.add(id)
    for (const file of Array.isArray(params?.files) ? params.files : [params]) {
      const { hash, size } = (file ?? {}) as { hash?: unknown; size?: unknown }
      if (typeof hash === 'string' && typeof size === 'number') this.#sizes.set(hash, size)
    }
  }

  #mark({ id, timestamp: at, notification: { method, params } }: SeenEvent): void {
    const name = eventName(method)
    if (name === 'user_message') {
      const text = UserMessage.safeParse(params).data?.content
      if (text !== undefined) this.#messages.set(id, text)
    } else if (name === 'ack') {
      const ack = Ack.safeParse(params).data
      const text = ack && this.#messages.get(ack.id)
      // What is said into a turn is a part of that, and one that is taken on again was begun before.
      if (!ack || ack.into !== undefined || text === undefined || this.#begun.has(ack.id)) return
      this.#begun.add(ack.id)
      this.#firstTurn ??= id - 1
      this.#points.push({ is: 'message', eventId: id - 1, at, number: this.#begun.size, text })
    } else if (name === 'git_commit') {
      const commit = GitCommit.safeParse(params).data
      if (commit?.kind === 'base') this.#base ??= id
      if (commit?.kind === 'checkpoint')
        this.#points.push({
          is: 'checkpoint',
          eventId: Math.min(commit.upTo ?? id, id),
          at,
          number: commit.number ?? null,
        })
    }
  }
}

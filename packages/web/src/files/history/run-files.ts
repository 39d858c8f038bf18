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
import { isObject } from '@farhand/story/values/untyped-values'

/** A point that files can be compared with: the workspace right after `eventId`. */
export type Point = { is: 'beginning'; eventId: number } | (LaterPoint & { isTakenBack: boolean })
type LaterPoint =
  | { is: 'checkpoint'; eventId: number; at: string; number: number | null }
  /** Right before the agent started with a message; taken back if the message is. */
  | { is: 'message'; eventId: number; at: string; number: number; text: string }

const mostPoints = 100
const isTold = eventsNamed('ack', 'git_commit', 'device_start', 'rewind')

/** The history of the files of a run, and the points to compare with: a fold over its log. */
export class RunFiles {
  readonly versions = new FileVersions()
  /** Which events a rewind took back. */
  readonly conversation = new ConversationEvents()
  /** The names of devices, by id. */
  readonly deviceNames = new Map<string, string>()
  readonly #sizes = new Map<string, number>()
  /** What was at a path before the first event about it, as that event says. */
  readonly #before = new Map<WorkspacePath, FileEntry | null>()
  readonly #newest = new Map<WorkspacePath, number>()
  readonly #messages = new Map<number, string>()
  readonly #points: LaterPoint[] = []
  /** Events that restored files; those of a rewind come before the rewind event. */
  readonly #putBack = new Set<number>()
  readonly #begun = new Set<number>()
  #base: number | null = null
  #firstTurn: number | null = null

  /** Takes the next event; returns whether any answer of this class has changed. */
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

  /** The last event taken. */
  get cursor(): number {
    return this.versions.cursor
  }

  /** Every path that has a file now, in no particular order. */
  paths(): Iterable<WorkspacePath> {
    return this.versions.tree.paths()
  }

  /** Every path that changed after an event, in no particular order. */
  *touchedSince(eventId: number): Generator<WorkspacePath> {
    for (const [path, newest] of this.#newest) if (newest > eventId) yield path
  }

  /** The versions of a path that were in the tree at some time, newest first. */
  counted(path: WorkspacePath): Version[] {
    return this.versions.of(path).filter(({ state }) => state !== 'overruled' && state !== 'kept')
  }

  /** What a path was right after an event; undefined if the log does not say. */
  entryAt(path: WorkspacePath, eventId: number): FileEntry | null | undefined {
    const then = this.counted(path).find((version) => version.eventId <= eventId)
    return then ? then.entry : this.#before.get(path)
  }

  /** The size of contents, if the log says it. */
  sizeOf(hash: string): number | null {
    return this.#sizes.get(hash) ?? null
  }

  /** The points to compare with: the beginning first, then the newest others, newest first. */
  points(): Point[] {
    const eventId = this.#firstTurn ?? this.#base ?? 0
    const newest = this.#points.slice(-mostPoints).toReversed()
    return [{ is: 'beginning', eventId }, ...newest.map((point) => this.#told(point))]
  }

  /** Whether a version belongs to a rewound part of the run. The file itself may not have been restored. */
  isTakenBack({ eventId }: Pick<Version, 'eventId'>): boolean {
    return !this.#putBack.has(eventId) && !this.conversation.has(eventId)
  }

  #told(point: LaterPoint): Point {
    // The message starts with the event after this point.
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
      // A message into a running turn belongs to that turn, and a resumed message was started before.
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

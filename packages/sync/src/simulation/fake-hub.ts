import { checkNotification } from '@farhand/protocol/events/check-notification'
import { fileIntents } from '@farhand/protocol/files/file-intents'
import { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Author, StoredEvent } from '@farhand/protocol/wire/event'
import { notification as notificationOf } from '@farhand/protocol/wire/event'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import { wireName } from '@farhand/protocol/wire/wire-names'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Content, HubFolder, Outgoing, Sent, VersionToKeep } from '../engine/hub-folder.ts'
import { bytesOf, entryInWords, wordIn, wordOf } from './contents.ts'
import type { Life, Scheduler } from './scheduler.ts'

/** `isTaken`: it went because something else was put in its way. */
type Held = { entry: FileEntry | null; by: SeenAuthor | null; eventId: number; isTaken?: boolean }
type Ready = { outgoing: Outgoing; word: string | null }

/** One log and its blobs, kept in memory, with the checks that the hub makes on writing. */
export class FakeHub {
  readonly #scheduler: Scheduler
  readonly events: StoredEvent[] = []
  readonly tree = new WorkspaceTree()
  readonly blobs = new Set<BlobHash>()
  /** Every entry that the fold ever had at a path, in order. */
  readonly held = new Map<WorkspacePath, Held[]>()
  readonly #named = new Set<string>()
  /** How many versions writers have put into the log, as events or as kept ones. */
  said = 0
  generation = 0
  /** Which life of each device is the newest (W34). */
  readonly #lives = new Map<string, Life>()
  /** Called for what a replica says, before it is in the log. */
  onSay: (author: Author, changes: readonly Outgoing[]) => void = () => {}

  constructor(scheduler: Scheduler, base: Iterable<readonly [WorkspacePath, FileEntry]>) {
    this.#scheduler = scheduler
    for (const [path, entry] of base) {
      this.held.set(path, [{ entry, by: null, eventId: 0 }])
      this.blobs.add(entry.hash)
    }
  }

  /** Whether the log names this version of this path, so that it can be put back. */
  names(path: WorkspacePath, entry: FileEntry): boolean {
    return this.#named.has(`${path} ${entry.hash}`)
  }

  name(path: WorkspacePath, entry: FileEntry): void {
    this.#named.add(`${path} ${entry.hash}`)
  }

  entry(path: WorkspacePath): FileEntry | null {
    return this.held.get(path)?.at(-1)?.entry ?? null
  }

  append(by: Author, method: string, params: Record<string, unknown>): void {
    const notification = notificationOf(method, params)
    checkNotification(notification, by.kind)
    const id = this.events.length + 1
    const event: StoredEvent = {
      id,
      type: 'notification',
      timestamp: '2026-01-01T00:00:00.000Z',
      notification,
      by,
    }
    this.events.push(JSON.parse(JSON.stringify(event)))
    const { changes } = this.tree.apply(event)
    const named = fileIntents(notification).map(({ path }) => path)
    for (const { path, entry } of changes)
      this.#hold(path, { entry, by, eventId: id, isTaken: !named.includes(path) })
    // The same entry again changes nothing, but it has another author now.
    for (const path of named) {
      const version = this.tree.version(path)
      if (version?.eventId === id) this.#hold(path, version)
    }
    // The fold does not know the base, and so does not tell what a new file takes away of it.
    for (const [path, held] of this.held)
      if (held.at(-1)?.entry && this.tree.entry(path) === null)
        this.#hold(path, { entry: null, by, eventId: id })
  }

  port(life: Life, author: Author, isOurs: (by: SeenAuthor) => boolean): HubFolder {
    if (author.kind === 'device') this.#lives.set(author.id, life)
    return {
      author,
      isOurs,
      follow: (after, signal) => this.#follow(life, after, signal),
      send: (what, signal) => this.#send(life, author, what, signal),
      fetch: (wanted, signal) => this.#fetch(life, wanted, signal),
      download: (hash, signal) => this.#download(life, hash, signal),
    }
  }

  #hold(path: WorkspacePath, held: Held): void {
    if (!this.held.has(path)) this.held.set(path, [])
    this.held.get(path)!.push(held)
  }

  async *#follow(life: Life, after: number, signal: AbortSignal) {
    let cursor = after
    let isLive = false
    for (;;) {
      const isReady = () => this.events.length > cursor || !isLive
      await this.#scheduler.wait(life, `${life.name} hears of the log`, { isReady, signal })
      const most = this.#scheduler.chance(0.5) ? this.events.length : cursor + 1
      const events = this.events.slice(cursor, most).map((event) => structuredClone(event))
      cursor += events.length
      isLive = cursor === this.events.length
      yield { events, live: isLive }
    }
  }

  async #send(
    life: Life,
    author: Author,
    what: { changes: readonly Outgoing[]; kept: readonly VersionToKeep[] },
    signal: AbortSignal,
  ): Promise<Sent> {
    const dropped: WorkspacePath[] = []
    const needed: WorkspacePath[] = []
    const changes: Ready[] = []
    const kept: { keeping: VersionToKeep; word: string }[] = []
    for (const outgoing of what.changes) {
      const word = outgoing.content ? await read(outgoing.content) : null
      if (outgoing.content && word === null) dropped.push(outgoing.path)
      else if (outgoing.entry && word === null && !this.blobs.has(outgoing.entry.hash))
        needed.push(outgoing.path)
      else changes.push({ outgoing, word })
    }
    for (const keeping of what.kept) {
      const word = await read(keeping.content)
      if (word === null) dropped.push(keeping.path)
      else kept.push({ keeping, word })
    }
    if (changes.length + kept.length === 0) return { lastId: 0, ids: new Map(), dropped, needed }
    const label = `${life.name} sends ${changes.map(({ outgoing }) => story(outgoing)).join(', ')}${kept.map(({ keeping }) => ` keeps ${keeping.path}=${entryInWords(keeping.entry)}`).join('')}`
    const lastId = await this.#scheduler.act(
      life,
      label,
      () => this.#store(life, author, changes, kept, label),
      {
        signal,
        isSent: true,
      },
    )
    const ids = new Map<Outgoing | VersionToKeep, number>()
    for (const { outgoing } of changes) ids.set(outgoing, lastId - kept.length)
    for (const [nth, { keeping }] of kept.entries()) ids.set(keeping, lastId - kept.length + nth + 1)
    return { lastId, ids, dropped, needed }
  }

  #store(
    life: Life,
    author: Author,
    changes: Ready[],
    kept: { keeping: VersionToKeep; word: string }[],
    label: string,
  ): number {
    if (author.kind === 'runner' && author.generation < this.generation) {
      this.#scheduler.tell(`${label}: refused, a newer runner has begun`)
      throw new Fenced()
    }
    if (author.kind === 'device' && this.#lives.get(author.id) !== life) {
      this.#scheduler.tell(`${label}: refused, this life is over`)
      throw new Fenced()
    }
    this.onSay(
      author,
      changes.map(({ outgoing }) => outgoing),
    )
    for (const { outgoing, word } of changes)
      if (word !== null && outgoing.entry) this.blobs.add(outgoing.entry.hash)
    for (const { keeping } of kept) this.blobs.add(keeping.entry.hash)
    const method = wireName(author.kind === 'runner' ? 'file_change' : 'file_sync')
    const files = changes.map(({ outgoing: { path, entry, was, size } }) =>
      entry
        ? { path, action: was ? 'modified' : 'created', ...entry, size, was }
        : { path, action: 'deleted', was },
    )
    for (const { outgoing } of changes)
      if (outgoing.entry) this.#named.add(`${outgoing.path} ${outgoing.entry.hash}`)
    for (const { keeping } of kept) this.#named.add(`${keeping.path} ${keeping.entry.hash}`)
    this.said += files.length + kept.length
    if (files.length > 0) this.append(author, method, { files })
    for (const { keeping } of kept) {
      const { path, entry, why } = keeping
      this.append(author, wireName('file_kept'), { path, ...entry, why })
    }
    this.#scheduler.tell(`${label}: event ${this.events.length}`)
    return this.events.length
  }

  async *#fetch(life: Life, wanted: readonly { hash: BlobHash }[], signal: AbortSignal) {
    for (const { hash } of this.#scheduler.chance(0.5) ? wanted : wanted.toReversed()) {
      await this.#scheduler.wait(life, `${life.name} fetches ${wordOf(hash)}`, { signal })
      if (this.blobs.has(hash)) yield { hash, bytes: bytesOf(wordOf(hash)) }
    }
  }

  async *#download(life: Life, hash: BlobHash, signal: AbortSignal) {
    await this.#scheduler.wait(life, `${life.name} downloads ${wordOf(hash)}`, { signal })
    if (!this.blobs.has(hash)) throw new Error('no such blob')
    yield bytesOf(wordOf(hash))
  }
}

/** Another runner, or another life of the device, has taken over. */
export class Fenced extends Error {}

const story = ({ path, entry, was }: Outgoing) => `${path}=${entryInWords(entry)} (was ${entryInWords(was)})`

async function read(content: Content): Promise<string | null> {
  const bytes = typeof content === 'function' ? await content() : content
  return bytes && wordIn(bytes instanceof Uint8Array ? bytes : new Uint8Array(await bytes.arrayBuffer()))
}

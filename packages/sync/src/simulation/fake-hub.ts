import type { Witness } from '@farhand/client/follow/witness'
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
import { SyncStopped } from '../engine/sync-stopped.ts'
import { mostPackedBytes } from '../hub/prepare-contents.ts'
import { bytesOf, entryInWords, hashOf, wordIn, wordOf } from './contents.ts'
import type { Life, Scheduler } from './scheduler.ts'

/** `isTaken`: it went because something else was put in its way. */
type Held = { entry: FileEntry | null; by: SeenAuthor | null; eventId: number; isTaken?: boolean }

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
      follow: (after, signal, witness) => this.#follow(life, after, signal, witness ?? null),
      send: (what, signal) => this.#send(life, author, what, signal),
      fetch: (wanted, signal) => this.#fetch(life, wanted, signal),
      download: (hash, signal) => this.#download(life, hash, signal),
    }
  }

  #hold(path: WorkspacePath, held: Held): void {
    if (!this.held.has(path)) this.held.set(path, [])
    this.held.get(path)!.push(held)
  }

  async *#follow(life: Life, after: number, signal: AbortSignal, witness: Witness | null) {
    if (after > this.events.length) throw SyncStopped.otherLog(new Error('the log ends before'))
    if (witness && this.events[witness.id - 1]?.timestamp !== witness.timestamp)
      throw SyncStopped.otherLog(new Error('the log has another event there'))
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

  // As the real one does it: a request for what is kept, one for small changes, then one for each large change. A life may end
  // between any two of them.
  async #send(
    life: Life,
    author: Author,
    what: { changes: readonly Outgoing[]; kept: readonly VersionToKeep[] },
    signal: AbortSignal,
  ): Promise<Sent> {
    const sent = { lastId: 0, ids: new Map<Outgoing | VersionToKeep, number>(), dropped: [], needed: [] }
    const small = what.changes.filter(({ size }) => size <= mostPackedBytes)
    const large = what.changes.filter(({ size }) => size > mostPackedBytes)
    await this.#request(life, author, { kept: what.kept }, sent, signal)
    for (const changes of [small, ...large.map((one) => [one])])
      await this.#request(life, author, { changes }, sent, signal)
    return sent
  }

  async #request(
    life: Life,
    author: Author,
    { changes = [], kept = [] }: { changes?: readonly Outgoing[]; kept?: readonly VersionToKeep[] },
    sent: Sent & { ids: Map<Outgoing | VersionToKeep, number> },
    signal: AbortSignal,
  ): Promise<void> {
    const ready: Outgoing[] = []
    for (const outgoing of changes) {
      const { path, entry, content } = outgoing
      if (entry && content && !(await holds(content, entry))) sent.dropped.push(path)
      else if (entry && !content && !this.blobs.has(entry.hash)) sent.needed.push(path)
      else ready.push(outgoing)
    }
    const keeping: VersionToKeep[] = []
    for (const one of kept)
      if (await holds(one.content, one.entry)) keeping.push(one)
      else sent.dropped.push(one.path)
    const all = [...ready, ...keeping]
    if (all.length === 0) return
    const label = `${life.name} sends ${ready.map(story).join(', ')}${keeping.map(({ path, entry }) => ` keeps ${path}=${entryInWords(entry)}`).join('')}`
    const store = () => this.#store(life, author, ready, keeping, label)
    const lastId = await this.#scheduler.act(life, label, store, { signal, isSent: true })
    // Changes become one event, and each version that is kept one of its own.
    for (const [nth, one] of all.entries()) sent.ids.set(one, lastId - Math.max(0, keeping.length - 1 - nth))
    sent.lastId = lastId
  }

  #store(
    life: Life,
    author: Author,
    changes: readonly Outgoing[],
    kept: readonly VersionToKeep[],
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
    this.onSay(author, changes)
    for (const { path, entry } of [...changes, ...kept]) {
      if (!entry) continue
      this.blobs.add(entry.hash)
      this.name(path, entry)
    }
    const method = wireName(author.kind === 'runner' ? 'file_change' : 'file_sync')
    const files = changes.map(({ path, entry, was, size }) =>
      entry
        ? { path, action: was ? 'modified' : 'created', ...entry, size, was }
        : { path, action: 'deleted', was },
    )
    this.said += files.length + kept.length
    if (files.length > 0) this.append(author, method, { files })
    for (const { path, entry, why } of kept)
      this.append(author, wireName('file_kept'), { path, ...entry, why })
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

/** Whether these are the bytes that the entry names: they may have changed since they were seen. */
async function holds(content: Content, { hash }: FileEntry): Promise<boolean> {
  const bytes = typeof content === 'function' ? await content() : content
  if (bytes === null) return false
  return (
    hashOf(wordIn(bytes instanceof Uint8Array ? bytes : new Uint8Array(await bytes.arrayBuffer()))) === hash
  )
}

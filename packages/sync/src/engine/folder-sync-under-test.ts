import { setImmediate } from 'node:timers/promises'
import { sameEntry } from '@farhand/protocol/files/path-history'
import { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { StoredEvent } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { at, file, hashOf } from '../hub/run-under-test.ts'
import type { Change, Changed, DiskFolder, DiskReport, Seen } from './disk-folder.ts'
import { syncFolder } from './folder-sync.ts'
import type { Content, HubFolder, Outgoing, VersionToKeep } from './hub-folder.ts'
import type { Memory, Remembered } from './memory.ts'
import type { SyncAnswer, SyncNote, SyncQuestion } from './sync-notes.ts'

const us = { kind: 'device', id: 'dev_00000000' } as const
const quiet = { seen: [], skipped: [], scanned: true, found: { files: 0, bytes: 0 }, position: null }

/** One linked folder between a disk and a hub that do exactly what a test says, on a clock that it sets. */
export class FolderUnderTest {
  readonly files = new Map<WorkspacePath, string>()
  readonly events: StoredEvent[] = []
  readonly tree = new WorkspaceTree()
  readonly notes: SyncNote[] = []
  readonly asked: SyncQuestion[] = []
  remembered: Remembered | null = null
  answer: ((question: SyncQuestion) => SyncAnswer) | null = null
  /** How often something cannot be read although it was opened. */
  unreadable = 0
  /** How much the clock moves on with every look at it, and how early sleepers may wake: as real ones do. */
  creepMs = 0
  earlyMs = 0
  /** While the hub is away, nothing that is sent arrives. */
  isAway = false
  /** What has been given to the hub, in order, whether it has arrived or not. */
  readonly given: Outgoing[] = []
  /** The pieces in which a large content comes, and what happens before each. */
  pieces: () => AsyncIterable<Uint8Array> = async function* () {}
  /** A closed run takes nothing more. */
  isClosed = false
  /** What the disk says to a change instead of making it. */
  refuses: (change: Change) => Changed | null = () => null
  readonly #base: [WorkspacePath, FileEntry][]
  #bytesAtHand = true
  #reports: DiskReport[] = []
  #now = 0
  #sleeping: { until: number; go: () => void }[] = []
  #wake: (() => void)[] = []
  #stop = new AbortController()
  #life: Promise<unknown> = Promise.resolve()

  constructor(base: Record<string, string> = {}, { bytesAtHand = true } = {}) {
    this.#base = Object.entries(base).map(([path, text]) => [at(path), file(text)])
    this.#bytesAtHand = bytesAtHand
  }

  /** Starts a life and lets it come to rest. */
  async start(): Promise<void> {
    const stop = new AbortController()
    this.#stop = stop
    this.#reports = [{ ...quiet, seen: [...this.files.keys()].map((path) => this.#seen(path)) }]
    this.#life = syncFolder({
      disk: this.#disk(),
      hub: this.#hub(),
      memory: this.memory(),
      wins: 'disk',
      base: this.#base,
      on: (note) => this.notes.push(note),
      ask: (question) => {
        this.asked.push(question)
        return this.answer ? Promise.resolve(this.answer(question) as never) : new Promise<never>(() => {})
      },
      timing: {
        now: () => (this.#now += this.creepMs),
        sleep: (ms) =>
          new Promise((go) => this.#sleeping.push({ until: this.#now + Math.max(0, ms - this.earlyMs), go })),
      },
      signal: stop.signal,
    })
    await this.pass(0)
  }

  /** What the life says when it ends by itself. */
  get ended(): Promise<unknown> {
    return this.#life
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('stopped'))
    this.#ring()
    await this.#life
  }

  /** Lets this much time pass, and everything happen that follows. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms
    for (;;) {
      for (let round = 0; round < 60; round += 1) await setImmediate()
      const next = this.#sleeping.filter((one) => one.until <= until).sort((a, b) => a.until - b.until)[0]
      if (!next) break
      this.#now = Math.max(this.#now, next.until)
      this.#sleeping.splice(this.#sleeping.indexOf(next), 1)
      next.go()
    }
    this.#now = until
  }

  /** Resolves when this much time has been let pass. */
  passing(ms: number): Promise<void> {
    return new Promise((go) => this.#sleeping.push({ until: this.#now + ms, go }))
  }

  /** The user changes files here, null for none; the disk reports it at once, with the position of HEAD. */
  edit(files: Record<string, string | null>, position: string | null = null): void {
    for (const [path, text] of Object.entries(files)) {
      if (text === null) this.files.delete(at(path))
      else this.files.set(at(path), text)
    }
    this.report({ seen: Object.keys(files).map((path) => this.#seen(at(path))), position })
  }

  report(more: Partial<DiskReport>): void {
    this.#reports.push({ ...quiet, ...more })
    this.#ring()
  }

  /** Another author writes a file into the log. */
  write(path: string, text: string | null, by: StoredEvent['by'] = { kind: 'runner', generation: 1 }): void {
    const was = this.tree.entry(at(path)) ?? null
    const entry = text === null ? null : file(text)
    const how = entry ? { action: 'modified', ...entry, size: text!.length } : { action: 'deleted' }
    const method = by.kind === 'runner' ? '_posthog/file_change' : '_posthog/file_sync'
    this.#append(by, method, { path, ...how, was })
  }

  /** Sets how large files may be. */
  setLimit(maxFileBytes: number): void {
    this.#append({ kind: 'runner', generation: 1 }, '_posthog/sync_settings', { maxFileBytes })
  }

  /** What this folder wrote in a life it may have forgotten. */
  writeAsBefore(path: string, text: string | null): void {
    this.write(path, text, us)
  }

  comeBack(): void {
    this.isAway = false
    this.#ring()
  }

  /** Everything that the log has, as text by path. */
  get inTheLog(): Record<string, string> {
    return Object.fromEntries([...this.tree.files()].map(({ path, entry }) => [path, textOf(entry)]))
  }

  get here(): Record<string, string> {
    return Object.fromEntries(this.files)
  }

  #ring(): void {
    for (const go of this.#wake.splice(0)) go()
  }

  async #until(isReady: () => boolean, signal: AbortSignal): Promise<void> {
    while (!isReady()) {
      signal.throwIfAborted()
      await new Promise<void>((go) => this.#wake.push(go))
    }
    signal.throwIfAborted()
  }

  #seen(path: WorkspacePath): Seen {
    const text = this.files.get(path)
    if (text === undefined) return { path, entry: null, size: 0 }
    texts.set(file(text).hash, text)
    const content = this.#bytesAtHand ? { content: Buffer.from(text) } : {}
    return { path, entry: file(text), size: text.length, ...content }
  }

  memory(): Memory {
    return {
      load: async () => structuredClone(this.remembered),
      note: ({ agreements = [], position, witness }) => {
        if (!this.remembered) return
        this.remembered.agreements.push(...structuredClone(agreements))
        if (position !== undefined) this.remembered.position = position
        if (witness) this.remembered.witness = witness
      },
      save: async (whole) => {
        this.remembered = structuredClone({ ...whole, agreements: [] })
      },
    }
  }

  #disk(): DiskFolder {
    return {
      leftBehind: async () => [],
      next: async (signal) => {
        await this.#until(() => this.#reports.length > 0, signal)
        return this.#reports.shift()!
      },
      look: async (paths) => paths.map((path) => this.#seen(path)),
      open: async (path, entry) => {
        const { entry: now } = this.#seen(path)
        return sameEntry(now, entry) ? new Blob([this.files.get(path)!]) : null
      },
      stage: async (pieces) => {
        for await (const _ of pieces);
        return { name: 'none' }
      },
      dropStaged: () => {},
      apply: async (changes) => changes.map((change) => this.refuses(change) ?? this.#change(change)),
      settled: () => {},
      release: () => {},
      limitSize: () => {},
      withhold: async () => [],
      openRescued: async () => null,
      readmit: async () => [],
      close: async () => {},
    }
  }

  #change({ path, from, to }: Change): Changed {
    if (!sameEntry(this.#seen(path).entry, from)) return { is: 'changed' }
    if (to) this.files.set(path, textOf(to))
    else this.files.delete(path)
    return { is: 'done' }
  }

  #hub(): HubFolder {
    const self = this
    return {
      author: us,
      isOurs: (by) => by.kind === 'device' && by.id === us.id,
      async *follow(after, signal) {
        for (let cursor = after, isFirst = true; ; isFirst = false) {
          if (!isFirst) await self.#until(() => self.events.length > cursor, signal)
          const events = self.events.slice(cursor)
          cursor += events.length
          yield { events: structuredClone(events), live: true }
        }
      },
      send: async ({ changes, kept }, signal) => {
        this.given.push(...changes)
        await this.#until(() => !this.isAway, signal)
        if (this.isClosed) throw new Fault('run.closed', 'the run is closed')
        const ids = new Map<Outgoing | VersionToKeep, number>()
        const dropped: WorkspacePath[] = []
        for (const keeping of kept) {
          const { path, entry, why } = keeping
          ids.set(keeping, this.#append(us, '_posthog/file_kept', { path, ...entry, why }))
        }
        for (const change of changes) {
          const { path, entry, was, size } = change
          if (change.content && !(await this.#isReadable(change.content))) {
            dropped.push(path)
            continue
          }
          const how = entry ? { action: 'modified', ...entry, size } : { action: 'deleted' }
          ids.set(change, this.#append(us, '_posthog/file_sync', { path, ...how, was }))
        }
        return { lastId: Math.max(0, ...ids.values()), ids, dropped, needed: [] }
      },
      async *fetch(wanted) {
        for (const { hash } of wanted) yield { hash, bytes: Buffer.from(texts.get(hash)!) }
      },
      download: () => this.pieces(),
    }
  }

  async #isReadable(content: Content): Promise<boolean> {
    if (content instanceof Uint8Array) return true
    if ((await content()) === null) return false
    this.unreadable -= 1
    return this.unreadable < 0
  }

  #append(by: StoredEvent['by'], method: string, params: Record<string, unknown>): number {
    const id = this.events.length + 1
    const timestamp = '2026-01-01T00:00:00.000Z'
    const notification = { jsonrpc: '2.0' as const, method, params }
    const event: StoredEvent = { id, type: 'notification', timestamp, notification, by }
    this.events.push(event)
    this.tree.apply(event)
    this.#ring()
    return id
  }
}

const texts = new Map<string, string>()
const textOf = ({ hash }: FileEntry) => texts.get(hash)!
/** Lets a text be told from its hash. */
export function known(...all: string[]): void {
  for (const text of all) texts.set(hashOf(text), text)
}

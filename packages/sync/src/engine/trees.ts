import { heldSince, sameEntry } from '@farhand/protocol/files/path-history'
import { type KeptVersion, WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { SeenAuthor, SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Agreement, Remembered } from './memory.ts'
import type { Entry } from './reconcile.ts'

type Unsettled = { agreed: Entry; since: Entry[]; yields?: true }

const nothingSince: readonly Entry[] = []

/** What an event did to the trees of this folder. */
export type TreeChanges = {
  /** Paths that need another look. */
  touched: WorkspacePath[]
  /** What this folder itself has written into the log, and so agrees on. */
  agreements: Agreement[]
  kept: readonly KeptVersion[]
}

/**
 * Two of the three trees: what the log says, and what is agreed: what disk and log last had in common.
 *
 * Nearly always they are the same, so only the paths where they differ are kept twice: 100,000 files are a lot of memory.
 */
export class Trees {
  readonly #tree: WorkspaceTree
  readonly #base: Map<WorkspacePath, FileEntry>
  readonly #unsettled = new Map<WorkspacePath, Unsettled>()
  /** Agreements that were noted while the log was further than the fold is now; the next one is the last. */
  readonly #ahead: Agreement[]
  readonly #baseFolders = new Set<string>()
  #cursor: number

  constructor(remembered: Remembered | null, base: Iterable<readonly [WorkspacePath, FileEntry]> = []) {
    this.#tree = WorkspaceTree.from(remembered?.tree ?? [])
    this.#cursor = remembered?.cursor ?? 0
    this.#base = new Map(remembered?.base.map(({ path, entry }) => [path, entry] as const) ?? base)
    for (const { path, ...unsettled } of remembered?.unsettled ?? []) this.#unsettled.set(path, unsettled)
    for (const path of this.#base.keys()) for (const folder of above(path)) this.#baseFolders.add(folder)
    this.#ahead = (remembered?.agreements ?? []).toSorted((a, b) => a.at - b.at).reverse()
    this.#catchUpWithNotes([])
  }

  /** The last event that was folded in. */
  get cursor(): number {
    return this.#cursor
  }

  log(path: WorkspacePath): Entry {
    const said = this.#tree.entry(path)
    return said === undefined ? (this.#base.get(path) ?? null) : said
  }

  agreed(path: WorkspacePath): Entry {
    const unsettled = this.#unsettled.get(path)
    return unsettled ? unsettled.agreed : this.log(path)
  }

  since(path: WorkspacePath): readonly Entry[] {
    return this.#unsettled.get(path)?.since ?? nothingSince
  }

  /** Who wrote what the log has here; null for what the run began with. */
  author(path: WorkspacePath): SeenAuthor | null {
    return this.#tree.version(path)?.by ?? null
  }

  /** Whether the log would accept this change now, right after the deletion of everything that `isGone`. */
  wouldCount(
    path: WorkspacePath,
    entry: Entry,
    by: SeenAuthor,
    isGone: (path: WorkspacePath) => boolean,
  ): boolean {
    return this.#tree.wouldCount({ path, entry, was: this.agreed(path) }, by, isGone)
  }

  /** Lets the log win at this path until both sides are the same, even if the disk wins elsewhere. */
  preferLog(path: WorkspacePath): void {
    const { agreed, since } = this.#unsettled.get(path) ?? { agreed: this.log(path), since: [] }
    this.#unsettled.set(path, { agreed, since, yields: true })
  }

  yields(path: WorkspacePath): boolean {
    return this.#unsettled.get(path)?.yields === true
  }

  /** Paths where the agreed entry is not what the log says now. */
  unsettled(): Iterable<WorkspacePath> {
    return this.#unsettled.keys()
  }

  /** Every path that has a file in the log. */
  *files(): Generator<WorkspacePath> {
    yield* this.#tree.paths()
    for (const path of this.#base.keys()) if (this.#tree.entry(path) === undefined) yield path
  }

  /** Every path where disk and log had a file in common. */
  *agreedFiles(): Generator<WorkspacePath> {
    // Asked of every file at every start: where nothing is unsettled, what the log has is what was agreed.
    for (const path of this.files()) if (this.#unsettled.get(path)?.agreed !== null) yield path
    for (const [path, { agreed }] of this.#unsettled) if (agreed && !this.log(path)) yield path
  }

  /** How many files the log has. */
  get count(): number {
    let count = this.#tree.size
    for (const path of this.#base.keys()) if (this.#tree.entry(path) === undefined) count += 1
    return count
  }

  /** Whether the log has a file, or had one since this folder last agreed with it. */
  get hasHadFiles(): boolean {
    return this.#unsettled.size > 0 || this.count > 0
  }

  /** Takes the next event of the log. Calls `moving` before it changes what is agreed at a path. */
  take(event: SeenEvent, isOurs: boolean, moving: (path: WorkspacePath) => void): TreeChanges {
    const { changes, kept } = this.#tree.apply(event)
    const touched: WorkspacePath[] = []
    const agreements: Agreement[] = []
    for (const { path, before, entry } of changes) {
      this.#move(path, before === undefined ? (this.#base.get(path) ?? null) : before, entry)
      touched.push(path)
      // This folder sent it, so it had it on disk: what changed there since is an edit of this version.
      if (isOurs) {
        moving(path)
        agreements.push(this.agree(path, entry, event.id))
      }
      if (entry && this.#base.size > 0) this.#clearBase(path, touched)
    }
    this.#cursor = event.id
    this.#catchUpWithNotes(touched)
    return { touched, agreements, kept }
  }

  /** Disk and log had this in common when the log was at `at`. */
  agree(path: WorkspacePath, entry: Entry, at = this.#cursor): Agreement {
    const agreement = { path, entry, at }
    this.#settle(agreement)
    return agreement
  }

  /** Everything of this that has to outlive the process. */
  rows(): Pick<Remembered, 'cursor' | 'tree' | 'unsettled' | 'base'> {
    return {
      cursor: this.#cursor,
      tree: [...this.#tree.rows()],
      unsettled: [...this.#unsettled].map(([path, unsettled]) => ({
        path,
        ...unsettled,
        since: [...unsettled.since],
      })),
      base: [...this.#base].map(([path, entry]) => ({ path, entry })),
    }
  }

  #move(path: WorkspacePath, before: Entry, entry: Entry): void {
    const unsettled = this.#unsettled.get(path)
    if (unsettled) heldSince(unsettled.since, entry)
    else this.#unsettled.set(path, { agreed: before, since: [entry] })
  }

  #settle({ path, entry }: Agreement): void {
    const unsettled = this.#unsettled.get(path)
    if (sameEntry(entry, this.log(path))) {
      this.#unsettled.delete(path)
      return
    }
    // Received and already out of date: only what came after it is still news.
    const held = unsettled?.since ?? []
    const at = held.findLastIndex((one) => sameEntry(one, entry))
    this.#unsettled.set(path, { agreed: entry, since: held.slice(at + 1) })
  }

  /** The fold does not know the files that the run began with, so it cannot say which of them a new file removes. */
  #clearBase(path: WorkspacePath, touched: WorkspacePath[]): void {
    const inTheWay = [...above(path)]
    if (this.#baseFolders.has(path)) {
      for (const other of this.#base.keys()) if (other.startsWith(`${path}/`)) inTheWay.push(other)
    }
    for (const other of inTheWay as WorkspacePath[]) {
      const entry = this.#base.get(other)
      if (!entry || this.log(other) !== null) continue
      this.#base.delete(other)
      this.#move(other, entry, null)
      touched.push(other)
    }
  }

  #catchUpWithNotes(touched: WorkspacePath[]): void {
    for (let next = this.#ahead.at(-1); next && next.at <= this.#cursor; next = this.#ahead.at(-1)) {
      this.#ahead.pop()
      this.#settle(next)
      touched.push(next.path)
    }
  }
}

/** The folders a path is in. */
function* above(path: string): Generator<string> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    yield path.slice(0, end)
}

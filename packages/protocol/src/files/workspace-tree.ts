import { paramsOf } from '../events/event-handlers.ts'
import type { FileEntry, FileKept, KeptWhy } from '../methods/files.ts'
import type { SeenAuthor, SeenEvent } from '../wire/seen-event.ts'
import type { WorkspacePath } from '../wire/workspace-path.ts'
import { type FileIntent, fileIntents } from './file-intents.ts'
import { countsOver, type FileVersion, type PastRow, PathHistory, sameEntry } from './path-history.ts'
import { type Stamp, WorkspaceNodes } from './workspace-nodes.ts'

/** A version that is not, or no longer, in the tree, and the event that brought it. */
export type KeptVersion = {
  path: WorkspacePath
  entry: FileEntry
  eventId: number
  by: SeenAuthor
  why: KeptWhy
}

/** A path that an event changed. `before` is undefined if only the base knows what was there. */
export type TreeChange = {
  path: WorkspacePath
  before: FileEntry | null | undefined
  entry: FileEntry | null
}

/** The effects of one event, in order: the changed paths, and the versions that can be put back (S4). */
export type Applied = { readonly changes: readonly TreeChange[]; readonly kept: readonly KeptVersion[] }

type Effects = { changes: TreeChange[]; kept: KeptVersion[] }

/**
 * All that a tree knows of one path, as JSON. `first` is the event that first put a file there; left out if that file is
 * the current one. `past` is left out if the current version is enough.
 */
export type TreeRow = {
  path: WorkspacePath
  entry: FileEntry | null
  by: SeenAuthor
  eventId: number
  first?: Stamp
  past?: PastRow
}

const nothing: Applied = { changes: [], kept: [] }

/**
 * The files of a workspace: the fold of the log's file events in id order (S3).
 *
 * `apply` changes the tree in place, because a tree of 100,000 files cannot be copied for each of a million events.
 * The files of the run's base are not in the log: `version` and `entry` are undefined for paths that only the base knows.
 */
export class WorkspaceTree {
  readonly #nodes = new WorkspaceNodes()
  /** One object for each author, however many events and rows name it. */
  readonly #authors = new Map<string, SeenAuthor>()

  /** Takes the next event of the log and returns its effects; events that are not about files have none (S15). */
  apply(event: SeenEvent): Applied {
    const kept = paramsOf(event.notification, 'file_kept')
    if (kept) return keep(event, kept)
    const intents = fileIntents(event.notification)
    if (intents.length === 0) return nothing
    const effects: Effects = { changes: [], kept: [] }
    const stamp = { by: this.#author(event.by), eventId: event.id }
    for (const intent of intents) this.#take(intent, stamp, effects)
    return effects
  }

  /**
   * Whether this would count if it were the next event: a device sends only such changes. Files for which `isGone` is true
   * are treated as deleted right before: a folder can only take a file's place when the file is gone.
   */
  wouldCount(intent: FileIntent, by: SeenAuthor, isGone?: (path: WorkspacePath) => boolean): boolean {
    return this.#counts(this.#find(intent.path), intent, by, isGone)
  }

  /** The version at this path; undefined if no event was about it, so that the base still counts. */
  version(path: WorkspacePath): FileVersion | undefined {
    const { node, isExact, taken } = this.#find(path)
    const version = isExact ? this.#nodes.version(node) : null
    return version ?? (taken ? { entry: null, ...taken } : undefined)
  }

  entry(path: WorkspacePath): FileEntry | null | undefined {
    const { node, isExact, taken } = this.#find(path)
    if (isExact && this.#nodes.isNamed(node)) return this.#nodes.entry(node)
    return taken ? null : undefined
  }

  /** How many files the log has put into the workspace. */
  get size(): number {
    return this.#nodes.filesBelow(0)
  }

  /** The path of every file that the log has put into the workspace, in no promised order. */
  *paths(): Generator<WorkspacePath> {
    for (const node of this.#nodes.named()) if (this.#nodes.isFile(node)) yield this.#nodes.path(node)
  }

  /** Every file that the log has put into the workspace, in no promised order. */
  *files(): Generator<{ path: WorkspacePath } & FileVersion & { entry: FileEntry }> {
    for (const node of this.#nodes.named()) {
      const entry = this.#nodes.entry(node)
      if (entry) yield { path: this.#nodes.path(node), entry, ...this.#nodes.stamp(node)! }
    }
  }

  /** A row for every path that an event was about, in no promised order. */
  *rows(): Generator<TreeRow> {
    for (const node of this.#nodes.named()) {
      const first = this.#nodes.earlierFirst(node)
      const history = this.#nodes.history(node)
      yield {
        path: this.#nodes.path(node),
        entry: this.#nodes.entry(node),
        ...this.#nodes.stamp(node)!,
        ...(first && { first }),
        ...(history && { past: history.row() }),
      }
    }
  }

  /** The tree from which these rows were taken; later events have the same effects as on that one. */
  static from(rows: Iterable<TreeRow>): WorkspaceTree {
    const tree = new WorkspaceTree()
    const stamps = new Map<number, Stamp>()
    const stampOf = ({ by, eventId }: Stamp) => {
      const known = stamps.get(eventId)
      if (known) return known
      const stamp = { by: tree.#author(by), eventId }
      stamps.set(eventId, stamp)
      return stamp
    }
    for (const row of rows) {
      const node = tree.#nodes.grow(row.path)
      tree.#nodes.change(node, row.entry, stampOf(row))
      if (row.past) tree.#nodes.remember(node, new PathHistory(row.past))
      if (row.first || row.entry) tree.#nodes.markFirst(node, stampOf(row.first ?? row))
    }
    return tree
  }

  #take(intent: FileIntent, stamp: Stamp, effects: Effects): void {
    const { path, entry } = intent
    const nodes = this.#nodes
    const place = this.#find(path)
    if (!this.#counts(place, intent, stamp.by)) {
      const isThere = place.isExact && sameEntry(entry, nodes.entry(place.node))
      if (entry && !isThere) effects.kept.push({ path, entry, why: 'overruled', ...stamp })
      return
    }
    const node = place.isExact ? place.node : nodes.grow(path, place.node, place.known)
    if (place.taken) nodes.change(node, null, place.taken)
    if (entry)
      for (const other of [...nodes.inTheWay(node)]) this.#replace(other, null, stamp, 'replaced', effects)
    this.#replace(node, entry, stamp, entry ? 'replaced' : 'deleted', effects)
    if (entry) nodes.markFirst(node, stamp)
  }

  #find(path: string): Place {
    const { node, isExact, known } = this.#nodes.find(path)
    const isNamed = isExact && this.#nodes.isNamed(node)
    return { node, isExact, known, taken: isNamed ? null : this.#nodes.taken(node, isExact) }
  }

  #counts(
    { node, isExact, taken }: Place,
    { entry, was }: FileIntent,
    by: SeenAuthor,
    isGone?: (path: WorkspacePath) => boolean,
  ): boolean {
    const nodes = this.#nodes
    // Without `was` the file is written on top of any version, of any author (W61).
    if (was === undefined) return true
    if (isExact && nodes.isNamed(node)) {
      const now = nodes.entry(node)
      const isNews =
        nodes.history(node)?.counts(now, was, by) ?? countsOver({ entry: now, by: nodes.by(node) }, was, by)
      if (!isNews) return false
    } else if (taken && !countsOver({ entry: null, by: taken.by }, was, by)) return false
    return entry === null || !nodes.isRivalInTheWay(node, isExact, by, isGone)
  }

  #replace(node: number, entry: FileEntry | null, stamp: Stamp, why: KeptWhy, effects: Effects): void {
    const before = this.#nodes.version(node)
    this.#nodes.change(node, entry, stamp)
    if (before && sameEntry(before.entry, entry)) return
    const path = this.#nodes.path(node)
    effects.changes.push({ path, before: before ? before.entry : undefined, entry })
    if (before?.entry) effects.kept.push({ path, ...before, entry: before.entry, why })
  }

  #author(by: SeenAuthor): SeenAuthor {
    const name = JSON.stringify(by)
    const known = this.#authors.get(name)
    if (!known) this.#authors.set(name, by)
    return known ?? by
  }
}

/** Where a path is in the tree, and which event removed what the base had there, before any event named it. */
type Place = {
  /** The path itself if `isExact`, else the deepest of its folders that the tree knows. */
  node: number
  isExact: boolean
  /** How many characters of the path that node is. */
  known: number
  /** The event with a file above or below this path, which removed what the base had here. */
  taken: Stamp | null
}

function keep({ id: eventId, by }: SeenEvent, { path, hash, mode = '100644', why }: FileKept): Applied {
  return { changes: [], kept: [{ path, entry: { mode, hash }, eventId, by, why }] }
}

import { eventName } from '../events/event-names.ts'
import { type FileEntry, FileKept, type KeptWhy } from '../methods/files.ts'
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

/** A path that is now something else. `before` is undefined if only the base knows what it was. */
export type TreeChange = {
  path: WorkspacePath
  before: FileEntry | null | undefined
  entry: FileEntry | null
}

/** What one event did, in order: the paths that are now something else, and the versions that can be put back (S4). */
export type Applied = { readonly changes: readonly TreeChange[]; readonly kept: readonly KeptVersion[] }

type Deeds = { changes: TreeChange[]; kept: KeptVersion[] }

/**
 * All that a tree knows of one path, as JSON can carry it. `first` is who first put a file there, and when; left out if
 * that is the file that is there now. `past` is left out if the current version is all there is to know.
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
 * What the log says of a workspace: the fold of its file events in id order (S3).
 *
 * `apply` changes the tree in place, because a tree of 100,000 files cannot be copied for each of a million events.
 * What the run began with is not in the log: `version` and `entry` are undefined for what only the base knows.
 */
export class WorkspaceTree {
  readonly #nodes = new WorkspaceNodes()
  /** One object for each author, however many events and rows name it. */
  readonly #authors = new Map<string, SeenAuthor>()

  /** Takes the next event of the log and says what it did. Events about other things do nothing (S15). */
  apply(event: SeenEvent): Applied {
    const { method, params } = event.notification
    if (eventName(method) === 'file_kept') return keep(event, params)
    const intents = fileIntents(event.notification)
    if (intents.length === 0) return nothing
    const deeds: Deeds = { changes: [], kept: [] }
    const stamp = { by: this.#author(event.by), eventId: event.id }
    for (const intent of intents) this.#take(intent, stamp, deeds)
    return deeds
  }

  /**
   * Whether this would count if it were the next event. A device sends nothing else. Files for which `isGone` says
   * so are taken to have been deleted right before: a folder can only take a file's place when the file has gone.
   */
  wouldCount(intent: FileIntent, by: SeenAuthor, isGone?: (path: WorkspacePath) => boolean): boolean {
    return this.#counts(this.#find(intent.path), intent, by, isGone)
  }

  /** What is at this path and since when; undefined if the log has never said, and the base still counts. */
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

  /** How many files the log put there. */
  get size(): number {
    return this.#nodes.filesBelow(0)
  }

  /** The path of every file that the log put there, in no promised order. */
  *paths(): Generator<WorkspacePath> {
    for (const node of this.#nodes.named()) if (this.#nodes.isFile(node)) yield this.#nodes.path(node)
  }

  /** Every file that the log put there, in no promised order. */
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

  /** The tree that had these rows: it goes on as that one would have. */
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

  #take(intent: FileIntent, stamp: Stamp, deeds: Deeds): void {
    const { path, entry } = intent
    const nodes = this.#nodes
    const place = this.#find(path)
    if (!this.#counts(place, intent, stamp.by)) {
      const isThere = place.isExact && sameEntry(entry, nodes.entry(place.node))
      if (entry && !isThere) deeds.kept.push({ path, entry, why: 'overruled', ...stamp })
      return
    }
    const node = place.isExact ? place.node : nodes.grow(path, place.node, place.known)
    if (place.taken) nodes.change(node, null, place.taken)
    if (entry)
      for (const other of [...nodes.inTheWay(node)]) this.#replace(other, null, stamp, 'replaced', deeds)
    this.#replace(node, entry, stamp, entry ? 'replaced' : 'deleted', deeds)
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
    // Written on top of whatever the log has, whoever wrote that (W61).
    if (was === undefined) return true
    if (isExact && nodes.isNamed(node)) {
      const now = nodes.entry(node)
      const isNews =
        nodes.history(node)?.counts(now, was, by) ?? countsOver({ entry: now, by: nodes.by(node) }, was, by)
      if (!isNews) return false
    } else if (taken && !countsOver({ entry: null, by: taken.by }, was, by)) return false
    return entry === null || !nodes.isRivalInTheWay(node, isExact, by, isGone)
  }

  #replace(node: number, entry: FileEntry | null, stamp: Stamp, why: KeptWhy, deeds: Deeds): void {
    const before = this.#nodes.version(node)
    this.#nodes.change(node, entry, stamp)
    if (before && sameEntry(before.entry, entry)) return
    const path = this.#nodes.path(node)
    deeds.changes.push({ path, before: before ? before.entry : undefined, entry })
    if (before?.entry) deeds.kept.push({ path, ...before, entry: before.entry, why })
  }

  #author(by: SeenAuthor): SeenAuthor {
    const name = JSON.stringify(by)
    const known = this.#authors.get(name)
    if (!known) this.#authors.set(name, by)
    return known ?? by
  }
}

/** Where a path is in the tree, and what happened there before anything named it. */
type Place = {
  /** The path itself if it `isExact`, else the last of the folders it would be in that the tree knows. */
  node: number
  isExact: boolean
  /** How much of the path that node is. */
  known: number
  /** Who put the file above or below that left nothing of whatever the base had here. */
  taken: Stamp | null
}

function keep({ id: eventId, by }: SeenEvent, params: unknown): Applied {
  const said = FileKept.safeParse(params)
  if (!said.success) return nothing
  const { path, hash, mode = '100644', why } = said.data
  return { changes: [], kept: [{ path, entry: { mode, hash }, eventId, by, why }] }
}

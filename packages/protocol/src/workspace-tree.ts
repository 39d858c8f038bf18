import { type FileIntent, fileIntents } from './file-intents.ts'
import { type FileEntry, FileKept, type KeptWhy } from './methods/files.ts'
import { countsOver, type FileVersion, type PastRow, PathHistory, sameEntry } from './path-history.ts'
import type { SeenAuthor, SeenEvent } from './seen-event.ts'
import {
  change,
  childOf,
  entryOf,
  filesUnder,
  inTheWay,
  isRivalInTheWay,
  markFirst,
  newNode,
  nodesUnder,
  pathOf,
  type Stamp,
  versionOf,
  type WorkspaceNode,
} from './workspace-node.ts'
import type { WorkspacePath } from './workspace-path.ts'

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
  readonly #root = newNode('', null)
  /** One object for each author, however many events and rows name it. */
  readonly #authors = new Map<string, SeenAuthor>()

  /** Takes the next event of the log and says what it did. Events about other things do nothing (S15). */
  apply(event: SeenEvent): Applied {
    const { method, params } = event.notification
    if (method === '_posthog/file_kept') return keep(event, params)
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
    return counts(this.#find(intent.path), intent, by, isGone)
  }

  /** What is at this path and since when; undefined if the log has never said, and the base still counts. */
  version(path: WorkspacePath): FileVersion | undefined {
    const { node, isExact, taken } = this.#find(path)
    const version = isExact ? versionOf(node) : null
    return version ?? (taken ? { entry: null, ...taken } : undefined)
  }

  entry(path: WorkspacePath): FileEntry | null | undefined {
    const { node, isExact, taken } = this.#find(path)
    if (isExact && node.stamp) return entryOf(node)
    return taken ? null : undefined
  }

  /** How many files the log put there. */
  get size(): number {
    return this.#root.folder?.files ?? 0
  }

  /** Every file that the log put there, in no promised order. */
  *files(): Generator<{ path: WorkspacePath } & FileVersion & { entry: FileEntry }> {
    for (const node of filesUnder(this.#root)) {
      yield { path: pathOf(node), entry: entryOf(node)!, by: node.stamp!.by, eventId: node.stamp!.eventId }
    }
  }

  /** A row for every path that an event was about, in no promised order. */
  *rows(): Generator<TreeRow> {
    for (const node of nodesUnder(this.#root)) {
      if (!node.stamp) continue
      const { by, eventId } = node.stamp
      const isFirst = node.hash !== null && node.first === node.stamp
      yield {
        path: pathOf(node),
        entry: entryOf(node),
        by,
        eventId,
        ...(node.first && !isFirst && { first: node.first }),
        ...(node.history && { past: node.history.row() }),
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
      const node = grow(tree.#root, row.path)
      change(node, row.entry, stampOf(row))
      if (row.past) node.history = new PathHistory(row.past)
      if (row.first || row.entry) markFirst(node, stampOf(row.first ?? row))
    }
    return tree
  }

  #take(intent: FileIntent, stamp: Stamp, deeds: Deeds): void {
    const { path, entry } = intent
    const place = this.#find(path)
    if (!counts(place, intent, stamp.by)) {
      const isThere = place.isExact && sameEntry(entry, entryOf(place.node))
      if (entry && !isThere) deeds.kept.push({ path, entry, why: 'overruled', ...stamp })
      return
    }
    const node = place.isExact ? place.node : grow(place.node, path, place.known)
    if (place.taken) change(node, null, place.taken)
    if (entry) for (const other of [...inTheWay(node)]) replace(other, null, stamp, 'replaced', deeds)
    replace(node, entry, stamp, entry ? 'replaced' : 'deleted', deeds)
    if (entry) markFirst(node, stamp)
  }

  #find(path: string): Place {
    let node = this.#root
    let taken: Stamp | null = null
    for (let start = 0; ; ) {
      taken = earlier(taken, node.first)
      const slash = path.indexOf('/', start)
      const end = slash === -1 ? path.length : slash
      const next = node.folder?.children.get(path.slice(start, end))
      if (!next) return { node, isExact: false, known: start, taken }
      node = next
      if (slash === -1) break
      start = end + 1
    }
    if (node.stamp) return { node, isExact: true, known: path.length, taken: null }
    return { node, isExact: true, known: path.length, taken: earlier(taken, node.folder?.first ?? null) }
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
  node: WorkspaceNode
  isExact: boolean
  /** How much of the path that node is. */
  known: number
  /** Who put the file above or below that left nothing of whatever the base had here. */
  taken: Stamp | null
}

/** The node of a path, made with all the folders it is in; `from` is the part of it that `known` characters name. */
function grow(from: WorkspaceNode, path: string, known = 0): WorkspaceNode {
  let node = from
  for (let start = known; ; ) {
    const slash = path.indexOf('/', start)
    if (slash === -1) return childOf(node, path.slice(start))
    node = childOf(node, path.slice(start, slash))
    start = slash + 1
  }
}

function counts(
  { node, isExact, taken }: Place,
  { entry, was }: FileIntent,
  by: SeenAuthor,
  isGone?: (path: WorkspacePath) => boolean,
): boolean {
  if (isExact && node.stamp) {
    const now = entryOf(node)
    const isNews = node.history
      ? node.history.counts(now, was, by)
      : countsOver({ entry: now, by: node.stamp.by }, was, by)
    if (!isNews) return false
  } else if (taken && !countsOver({ entry: null, by: taken.by }, was, by)) return false
  return entry === null || !isRivalInTheWay(node, isExact, by, isGone)
}

function replace(
  node: WorkspaceNode,
  entry: FileEntry | null,
  stamp: Stamp,
  why: KeptWhy,
  deeds: Deeds,
): void {
  const before = node.stamp
  const entryBefore = entryOf(node)
  change(node, entry, stamp)
  if (before && sameEntry(entryBefore, entry)) return
  const path = pathOf(node)
  deeds.changes.push({ path, before: before ? entryBefore : undefined, entry })
  if (before && entryBefore) deeds.kept.push({ path, entry: entryBefore, why, ...before })
}

function keep({ id: eventId, by }: SeenEvent, params: unknown): Applied {
  const said = FileKept.safeParse(params)
  if (!said.success) return nothing
  const { path, hash, mode = '100644', why } = said.data
  return { changes: [], kept: [{ path, entry: { mode, hash }, eventId, by, why }] }
}

const earlier = (a: Stamp | null, b: Stamp | null) => (a && b ? (a.eventId <= b.eventId ? a : b) : (a ?? b))

import { type FileIntent, fileIntents } from './file-intents.ts'
import { type FileEntry, FileKept, type KeptWhy } from './methods/files.ts'
import { type FileVersion, type PastRow, PathHistory, sameEntry } from './path-history.ts'
import type { SeenAuthor, SeenEvent } from './seen-event.ts'
import type { WorkspacePath } from './workspace-path.ts'

/** A version that is not, or no longer, in the tree, and the event that brought it. */
export type KeptVersion = {
  path: WorkspacePath
  entry: FileEntry
  eventId: number
  by: SeenAuthor
  why: KeptWhy
}

/** A path that is something else now. `before` is undefined where only the base knows what was there. */
export type PathChange = {
  path: WorkspacePath
  before: FileEntry | null | undefined
  entry: FileEntry | null
}

/** What one event did, in order: the paths that are now something else, and the versions that can be put back (S4). */
export type Applied = { readonly changes: readonly PathChange[]; readonly kept: readonly KeptVersion[] }

/**
 * All that a tree knows of one path, as JSON can carry it. `first` is who first put a file there, and when; left out if
 * that is the file that is there now. `past` is left out if nobody but its author changed the path.
 */
export type TreeRow = {
  path: WorkspacePath
  entry: FileEntry | null
  by: SeenAuthor
  eventId: number
  first?: { by: SeenAuthor; eventId: number }
  past?: PastRow
}

type Deeds = { changes: PathChange[]; kept: KeptVersion[] }

const nothing: Applied = { changes: [], kept: [] }

type Node = {
  readonly path: string
  readonly parent: Node | null
  children: Map<string, Node> | null
  history: PathHistory | null
  /** The first version that put a file here, or below here: it took away whatever the base had in its way. */
  firstHere: FileVersion | null
  firstBelow: FileVersion | null
  filesBelow: number
  filesOfDevicesBelow: number
}

const newNode = (path: string, parent: Node | null): Node => ({
  path,
  parent,
  children: null,
  history: null,
  firstHere: null,
  firstBelow: null,
  filesBelow: 0,
  filesOfDevicesBelow: 0,
})

/**
 * What the log says of a workspace: the fold of its file events in id order (S3).
 *
 * `apply` changes the tree in place, because a tree of 100,000 files cannot be copied for each of a million events.
 * What the run began with is not in the log: `version` and `entry` are undefined for what only the base knows.
 */
export class WorkspaceTree {
  readonly #root = newNode('', null)

  /** Takes the next event of the log and says what it did. Events about other things do nothing (S15). */
  apply(event: SeenEvent): Applied {
    const { method, params } = event.notification
    if (method === '_posthog/file_kept') return this.#keep(event, params)
    const intents = fileIntents(event.notification)
    if (intents.length === 0) return nothing
    const deeds: Deeds = { changes: [], kept: [] }
    for (const intent of intents) this.#take(intent, event, deeds)
    return deeds
  }

  /** Whether this would count if it were the next event. A device sends nothing else. */
  wouldCount(intent: FileIntent, by: SeenAuthor): boolean {
    return counts(this.#find(intent.path), intent, by)
  }

  /** What is at this path and since when; undefined if the log has never said, and the base still counts. */
  version(path: WorkspacePath): FileVersion | undefined {
    const { node, taken } = this.#find(path)
    return node?.history?.now ?? taken ?? undefined
  }

  entry(path: WorkspacePath): FileEntry | null | undefined {
    return this.version(path)?.entry
  }

  /** Every file that the log put there, in no promised order. */
  *files(): Generator<{ path: WorkspacePath } & FileVersion & { entry: FileEntry }> {
    for (const node of filesUnder(this.#root)) {
      const { entry, by, eventId } = node.history!.now
      yield { path: node.path as WorkspacePath, entry: entry!, by, eventId }
    }
  }

  /** A row for every path that the log has named, in no promised order. */
  *rows(): Generator<TreeRow> {
    for (const { path, history, firstHere } of nodesUnder(this.#root)) {
      if (!history) continue
      const { entry, by, eventId } = history.now
      const first = firstHere && !(entry && firstHere.eventId === eventId) ? firstHere : null
      const past = history.past()
      yield {
        path: path as WorkspacePath,
        entry,
        by,
        eventId,
        ...(first && { first: { by: first.by, eventId: first.eventId } }),
        ...(past && { past }),
      }
    }
  }

  /** The tree that had these rows: it goes on as that one would have. */
  static from(rows: Iterable<TreeRow>): WorkspaceTree {
    const tree = new WorkspaceTree()
    for (const { path, entry, by, eventId, first, past } of rows) {
      const node = tree.#grow(path)
      const now = { entry, by, eventId }
      change(node, now, past)
      if (first || entry) markFirst(node, first ? { ...first, entry: null } : now)
    }
    return tree
  }

  #take(intent: FileIntent, { id: eventId, by }: SeenEvent, deeds: Deeds): void {
    const { path, entry } = intent
    const place = this.#find(path)
    if (!counts(place, intent, by)) {
      const isThere = sameEntry(entry, place.node?.history?.now.entry ?? null)
      if (entry && !isThere) deeds.kept.push({ path, entry, eventId, by, why: 'overruled' })
      return
    }
    const node = place.node ?? this.#grow(path)
    if (!node.history && place.taken) change(node, place.taken)
    if (entry) clearTheWay(node, { entry: null, by, eventId }, deeds)
    replace(node, { entry, by, eventId }, entry ? 'replaced' : 'deleted', deeds)
    if (entry) markFirst(node, node.history!.now)
  }

  #keep({ id: eventId, by }: SeenEvent, params: unknown): Applied {
    const said = FileKept.safeParse(params)
    if (!said.success) return nothing
    const { path, hash, mode = '100644', why } = said.data
    return { changes: [], kept: [{ path, entry: { mode, hash }, eventId, by, why }] }
  }

  #find(path: string): Place {
    let node: Node | undefined = this.#root
    let taken: FileVersion | null = null
    let belowDevices = false
    for (let start = 0; node && start <= path.length; ) {
      taken = earlier(taken, node.firstHere)
      belowDevices ||= isFileOfDevice(node)
      const slash = path.indexOf('/', start)
      const end = slash === -1 ? path.length : slash
      node = node.children?.get(path.slice(start, end))
      start = end + 1
    }
    const first = earlier(taken, node?.firstBelow ?? null)
    return { node, belowDevices, taken: node?.history || !first ? null : { ...first, entry: null } }
  }

  #grow(path: string): Node {
    let node = this.#root
    for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
      const here = end === -1 ? path : path.slice(0, end)
      const part = here.slice(node.path === '' ? 0 : node.path.length + 1)
      let next = node.children?.get(part)
      if (!next) {
        next = newNode(here, node)
        node.children ??= new Map()
        node.children.set(part, next)
      }
      node = next
      if (end === -1) return node
    }
  }
}

/** Where a path is in the tree, and what happened there before anything named it. */
type Place = {
  node: Node | undefined
  /** Whether one of the folders it is in is a file, and a device's. */
  belowDevices: boolean
  /** The absence that a file above or below left of whatever the base had here. */
  taken: FileVersion | null
}

function counts({ node, belowDevices, taken }: Place, { entry, was }: FileIntent, by: SeenAuthor): boolean {
  const history = node?.history ?? (taken && new PathHistory(taken))
  if (history && !history.counts(was, by)) return false
  return by.kind !== 'runner' || entry === null || (!belowDevices && !node?.filesOfDevicesBelow)
}

/** Makes files above and everything below absent. */
function clearTheWay(node: Node, gone: FileVersion, deeds: Deeds): void {
  for (let above = node.parent; above; above = above.parent) {
    if (isFile(above)) replace(above, gone, 'replaced', deeds)
  }
  if (node.filesBelow === 0) return
  for (const below of [...filesUnder(node)]) if (below !== node) replace(below, gone, 'replaced', deeds)
}

function replace(node: Node, to: FileVersion, why: KeptWhy, deeds: Deeds): void {
  const before = node.history?.now
  change(node, to)
  if (before && sameEntry(before.entry, to.entry)) return
  const path = node.path as WorkspacePath
  deeds.changes.push({ path, before: before?.entry, entry: to.entry })
  if (before?.entry) {
    deeds.kept.push({ path, entry: before.entry, eventId: before.eventId, by: before.by, why })
  }
}

function change(node: Node, to: FileVersion, past?: PastRow): void {
  const files = Number(isFile(node))
  const ofDevices = Number(isFileOfDevice(node))
  if (node.history) node.history.change(to)
  else node.history = new PathHistory(to, past)
  const moreFiles = Number(isFile(node)) - files
  const moreOfDevices = Number(isFileOfDevice(node)) - ofDevices
  if (moreFiles === 0 && moreOfDevices === 0) return
  for (let above = node.parent; above; above = above.parent) {
    above.filesBelow += moreFiles
    above.filesOfDevicesBelow += moreOfDevices
  }
}

const isFile = (node: Node) => node.history !== null && node.history.now.entry !== null
const isFileOfDevice = (node: Node) => isFile(node) && node.history?.now.by.kind !== 'runner'

const earlier = (a: FileVersion | null, b: FileVersion | null) =>
  a && b ? (a.eventId <= b.eventId ? a : b) : (a ?? b)

function* filesUnder(node: Node): Generator<Node> {
  if (isFile(node)) yield node
  if (node.filesBelow > 0) for (const child of node.children!.values()) yield* filesUnder(child)
}

function* nodesUnder(node: Node): Generator<Node> {
  yield node
  for (const child of node.children?.values() ?? []) yield* nodesUnder(child)
}

// Rows come in any order, so a later one may be the earlier first.
function markFirst(node: Node, first: FileVersion): void {
  node.firstHere ??= first
  for (let above = node.parent; above; above = above.parent) {
    if (above.firstBelow && above.firstBelow.eventId <= first.eventId) break
    above.firstBelow = first
  }
}

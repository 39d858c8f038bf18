import type { Author, StoredEvent } from './event.ts'
import { type FileIntent, fileIntents } from './file-intents.ts'
import { type FileEntry, FileKept, type KeptWhy } from './methods/files.ts'
import { type FileVersion, PathHistory, sameEntry } from './path-history.ts'
import type { WorkspacePath } from './workspace-path.ts'

/** A version that is not, or no longer, in the tree, and the event that brought it. */
export type KeptVersion = {
  path: WorkspacePath
  entry: FileEntry
  eventId: number
  by: Author
  why: KeptWhy
}

/** What one event did: the paths that are now something else, and the versions that can be put back (S4). */
export type Applied = {
  changes: readonly { path: WorkspacePath; entry: FileEntry | null }[]
  kept: readonly KeptVersion[]
}

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
  apply(event: StoredEvent): Applied {
    const { method, params } = event.notification
    if (method === '_posthog/file_kept') return this.#keep(event, params)
    const intents = fileIntents(event.notification)
    if (intents.length === 0) return nothing
    const changed = new Map<WorkspacePath, FileEntry | null>()
    const kept: KeptVersion[] = []
    for (const intent of intents) this.#take(intent, event, changed, kept)
    return { changes: [...changed].map(([path, entry]) => ({ path, entry })), kept }
  }

  /** Whether this would count if it were the next event. A device sends nothing else. */
  wouldCount({ path, entry, was }: FileIntent, by: Author): boolean {
    const { node, above, taken } = this.#find(path)
    const history = node?.history ?? (taken && new PathHistory(taken))
    if (history && !history.counts(was, by)) return false
    if (by.kind !== 'runner' || entry === null) return true
    return !above.some(isFileOfDevice) && !node?.filesOfDevicesBelow
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

  #take(
    intent: FileIntent,
    { id: eventId, by }: StoredEvent,
    changed: Map<WorkspacePath, FileEntry | null>,
    kept: KeptVersion[],
  ): void {
    const { path, entry } = intent
    if (!this.wouldCount(intent, by)) {
      const isThere = sameEntry(entry, this.entry(path) ?? null)
      if (entry && !isThere) kept.push({ path, entry, eventId, by, why: 'overruled' })
      return
    }
    const set = (node: Node, to: FileVersion) => {
      const before = node.history?.now
      this.#change(node, to)
      if (before && sameEntry(before.entry, to.entry)) return
      const at = node.path as WorkspacePath
      changed.set(at, to.entry)
      if (before?.entry) {
        kept.push({ ...before, path: at, entry: before.entry, why: entry ? 'replaced' : 'deleted' })
      }
    }
    const { taken } = this.#find(path)
    const node = this.#grow(path)
    if (!node.history && taken) this.#change(node, taken)
    if (entry) {
      const gone: FileVersion = { entry: null, by, eventId }
      for (const above of ancestors(node)) if (isFile(above)) set(above, gone)
      for (const below of [...filesUnder(node)]) if (below !== node) set(below, gone)
    }
    set(node, { entry, by, eventId })
    if (entry) markFirst(node)
  }

  #keep({ id: eventId, by }: StoredEvent, params: unknown): Applied {
    const said = FileKept.safeParse(params)
    if (!said.success) return nothing
    const { path, hash, mode = '100644', why } = said.data
    return { changes: [], kept: [{ path, entry: { mode, hash }, eventId, by, why }] }
  }

  #change(node: Node, to: FileVersion): void {
    const files = Number(isFile(node))
    const ofDevices = Number(isFileOfDevice(node))
    if (node.history) node.history.change(to)
    else node.history = new PathHistory(to)
    const moreFiles = Number(isFile(node)) - files
    const moreOfDevices = Number(isFileOfDevice(node)) - ofDevices
    if (moreFiles === 0 && moreOfDevices === 0) return
    for (const above of ancestors(node)) {
      above.filesBelow += moreFiles
      above.filesOfDevicesBelow += moreOfDevices
    }
  }

  /** The node of a path if there is one, those above it, and what took away what the base may have had there. */
  #find(path: string): { node: Node | undefined; above: Node[]; taken: FileVersion | null } {
    const above: Node[] = []
    let taken: FileVersion | null = null
    let node: Node | undefined = this.#root
    for (const part of path.split('/')) {
      if (!node) break
      above.push(node)
      taken = earlier(taken, node.firstHere)
      node = node.children?.get(part)
    }
    taken = earlier(taken, node?.firstBelow ?? null)
    return { node, above, taken: taken && { ...taken, entry: null } }
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

const isFile = (node: Node) => node.history !== null && node.history.now.entry !== null
const isFileOfDevice = (node: Node) => isFile(node) && node.history?.now.by.kind !== 'runner'

const earlier = (a: FileVersion | null, b: FileVersion | null) =>
  a && b ? (a.eventId <= b.eventId ? a : b) : (a ?? b)

function* ancestors(node: Node): Generator<Node> {
  for (let above = node.parent; above; above = above.parent) yield above
}

function* filesUnder(node: Node): Generator<Node> {
  if (isFile(node)) yield node
  if (node.filesBelow > 0) for (const child of node.children!.values()) yield* filesUnder(child)
}

function markFirst(node: Node): void {
  const now = node.history!.now
  node.firstHere ??= now
  for (const above of ancestors(node)) above.firstBelow ??= now
}

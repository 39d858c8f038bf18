import type { FileEntry, FileMode } from './methods/files.ts'
import { type FileVersion, isRival, PathHistory } from './path-history.ts'
import type { SeenAuthor } from './seen-event.ts'
import type { WorkspacePath } from './workspace-path.ts'

/** Which event, and whose. All files of an event share one. */
export type Stamp = { readonly by: SeenAuthor; readonly eventId: number }

/** What a path is besides a file: a folder of others. */
type Folder = {
  readonly children: Map<string, WorkspaceNode>
  /** The first that put a file below here: it took away whatever the base had in its way. */
  first: Stamp | null
  files: number
  filesOfDevices: number
}

/**
 * One path of a `WorkspaceTree`. There may be 100,000 of them: a file that was written once is this object, its name
 * and its hash, and nothing else.
 */
export type WorkspaceNode = {
  readonly parent: WorkspaceNode | null
  readonly name: string
  folder: Folder | null
  hash: FileEntry['hash'] | null
  mode: FileMode
  /** Since when it is what it is; null if no event was ever about this path. */
  stamp: Stamp | null
  /** The first that put a file here: it took away whatever the base had below. */
  first: Stamp | null
  history: PathHistory | null
}

/** A path that nobody has named yet. */
export const newNode = (name: string, parent: WorkspaceNode | null): WorkspaceNode => ({
  parent,
  name,
  folder: null,
  hash: null,
  mode: '100644',
  stamp: null,
  first: null,
  history: null,
})

// A long piece of a string keeps the whole string in memory; what comes out of JSON stands for itself.
const onItsOwn = (piece: string): string => (piece.length < 13 ? piece : JSON.parse(JSON.stringify(piece)))

/** The child of this name, made if there is none. */
export function childOf(node: WorkspaceNode, name: string): WorkspaceNode {
  node.folder ??= { children: new Map(), first: null, files: 0, filesOfDevices: 0 }
  let child = node.folder.children.get(name)
  if (!child) {
    const own = onItsOwn(name)
    child = newNode(own, node)
    node.folder.children.set(own, child)
  }
  return child
}

export function pathOf(node: WorkspaceNode): WorkspacePath {
  let path = node.name
  for (let above = node.parent; above?.parent; above = above.parent) path = `${above.name}/${path}`
  return path as WorkspacePath
}

export const entryOf = ({ hash, mode }: WorkspaceNode): FileEntry | null => hash && { mode, hash }

/** What this path is; null if only the base knows. */
export const versionOf = (node: WorkspaceNode): FileVersion | null =>
  node.stamp && { entry: entryOf(node), by: node.stamp.by, eventId: node.stamp.eventId }

const isOfDevice = (node: WorkspaceNode) => node.hash !== null && node.stamp?.by.kind !== 'runner'

/** Makes this the current version of the path. */
export function change(node: WorkspaceNode, entry: FileEntry | null, stamp: Stamp): void {
  const files = Number(node.hash !== null)
  const ofDevices = Number(isOfDevice(node))
  if (node.stamp) {
    const before = { entry: entryOf(node), by: node.stamp.by }
    node.history = PathHistory.after(node.history, before, { entry, by: stamp.by })
  }
  node.hash = entry?.hash ?? null
  node.mode = entry?.mode ?? '100644'
  node.stamp = stamp
  const moreFiles = Number(entry !== null) - files
  const moreOfDevices = Number(isOfDevice(node)) - ofDevices
  if (moreFiles === 0 && moreOfDevices === 0) return
  for (let above = node.parent; above; above = above.parent) {
    above.folder!.files += moreFiles
    above.folder!.filesOfDevices += moreOfDevices
  }
}

/** Remembers who was the first to put a file here; rows come in any order, so a later one may be earlier. */
export function markFirst(node: WorkspaceNode, stamp: Stamp): void {
  node.first ??= stamp
  for (let above = node.parent; above; above = above.parent) {
    const folder = above.folder!
    if (folder.first && folder.first.eventId <= stamp.eventId) break
    folder.first = stamp
  }
}

export function* nodesUnder(node: WorkspaceNode): Generator<WorkspaceNode> {
  yield node
  if (node.folder) for (const child of node.folder.children.values()) yield* nodesUnder(child)
}

export function* filesUnder(node: WorkspaceNode): Generator<WorkspaceNode> {
  if (node.hash) yield node
  if (node.folder?.files) for (const child of node.folder.children.values()) yield* filesUnder(child)
}

/** The files that cannot be there together with a file at this path: those on the way to it and those inside it. */
export function* inTheWay(node: WorkspaceNode): Generator<WorkspaceNode> {
  for (let above = node.parent; above; above = above.parent) if (above.hash) yield above
  // Where there are files inside there is none itself.
  if (node.folder?.files) yield* filesUnder(node)
}

/**
 * Whether somebody who speaks for another person wrote one of the files in the way of a path: of this node, or, if it is
 * not exact, of one somewhere below it where nothing is yet.
 */
export function isRivalInTheWay(
  node: WorkspaceNode,
  isExact: boolean,
  by: SeenAuthor,
  isGone?: (path: WorkspacePath) => boolean,
): boolean {
  const stands = (one: WorkspaceNode) => isRival(one.stamp!.by, by) && !isGone?.(pathOf(one))
  for (let above = isExact ? node.parent : node; above; above = above.parent)
    if (above.hash && stands(above)) return true
  if (!isExact || !node.folder?.filesOfDevices) return false
  for (const below of filesUnder(node)) if (stands(below)) return true
  return false
}

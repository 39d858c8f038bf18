import type { FileEntry, FileMode } from '../methods/files.ts'
import type { SeenAuthor } from '../wire/seen-event.ts'
import type { WorkspacePath } from '../wire/workspace-path.ts'
import { longer, NameTree } from './name-tree.ts'
import { type FileVersion, isRival, PathHistory } from './path-history.ts'

/** An event and its author. */
export type Stamp = { readonly by: SeenAuthor; readonly eventId: number }

const firstRoom = 64
/** In place of the number of an author: no event was ever about this path. */
const noAuthor = 0
/** A mode is stored as its index here plus 1; 0 stands for no file. */
const modes: readonly FileMode[] = ['100644', '100755', '120000']

/**
 * The paths of a `WorkspaceTree`, with a number for each; 0 is the workspace. There may be 100,000 of them: a file that was
 * written once takes only its name, its hash and a row of a few bytes.
 */
export class WorkspaceNodes {
  readonly #names = new NameTree()
  #modes = new Uint8Array(firstRoom)
  /** As strings: converting them to bytes and back would take longer than all the rest. */
  readonly #hashes: (FileEntry['hash'] | null)[] = [null]
  #eventIds = new Float64Array(firstRoom)
  #authors = new Int32Array(firstRoom)
  readonly #authorList: SeenAuthor[] = []
  readonly #numbers = new Map<SeenAuthor, number>()
  /** How many files there are below each path, and how many of them devices wrote. */
  #files = new Int32Array(firstRoom)
  #filesOfDevices = new Int32Array(firstRoom)
  /** The first event that put a file below: it removed what the base had in its way. */
  readonly #firstBelow: (Stamp | null)[] = [null]
  readonly #histories = new Map<number, PathHistory>()
  /** The first event that put a file here, where that is not the current file. */
  readonly #firsts = new Map<number, Stamp>()
  /** The folder of the last path, with its slash: most paths are in the same folder as the one before. */
  #lastPath = ''
  #lastFolder = 0
  #asked: string | null = null
  #found = 0

  /** The node of a path, or the deepest known folder on the way to it; `known` is how many characters of the path that is. */
  find(path: string): { node: number; isExact: boolean; known: number } {
    // Callers ask several questions about one path in a row.
    if (path === this.#asked) return { node: this.#found, isExact: true, known: path.length }
    const inside = this.#inside(path)
    let node = inside === 0 ? 0 : this.#lastFolder
    for (let start = inside; ; ) {
      const slash = path.indexOf('/', start)
      const end = slash === -1 ? path.length : slash
      const next = this.#names.child(node, path, start, end)
      if (next === -1) return { node, isExact: false, known: start }
      if (slash === -1) {
        this.#wasIn(path, start, node)
        this.#asked = path
        this.#found = next
        return { node: next, isExact: true, known: path.length }
      }
      node = next
      start = end + 1
    }
  }

  /** The node of a path, created with all its folders if needed; `from` is the node of its first `known` characters. */
  grow(path: string, from = 0, known = this.#inside(path)): number {
    let folder = from === 0 && known > 0 ? this.#lastFolder : from
    for (let start = known; ; ) {
      const slash = path.indexOf('/', start)
      const node = this.#names.grow(folder, path, start, slash === -1 ? path.length : slash)
      if (node === this.#hashes.length) this.#makeRoom()
      if (slash === -1) {
        this.#wasIn(path, start, folder)
        return node
      }
      folder = node
      start = slash + 1
    }
  }

  path(node: number): WorkspacePath {
    return this.#names.path(node) as WorkspacePath
  }

  isFile(node: number): boolean {
    return this.#modes[node] !== 0
  }

  /** Whether an event was ever about this path. */
  isNamed(node: number): boolean {
    return this.#authors[node] !== noAuthor
  }

  entry(node: number): FileEntry | null {
    const mode = modes[this.#modes[node]! - 1]
    return mode ? { mode, hash: this.#hashes[node]! } : null
  }

  /** The author of the current version; only for a path that `isNamed`. */
  by(node: number): SeenAuthor {
    return this.#authorList[this.#authors[node]! - 1]!
  }

  /** The event of the current version; null if no event was ever about this path. */
  stamp(node: number): Stamp | null {
    return this.isNamed(node) ? { by: this.by(node), eventId: this.#eventIds[node]! } : null
  }

  /** The current version; null if only the base knows it. */
  version(node: number): FileVersion | null {
    const stamp = this.stamp(node)
    return stamp && { entry: this.entry(node), ...stamp }
  }

  history(node: number): PathHistory | null {
    return this.#histories.get(node) ?? null
  }

  /** The first event that put a file here: it removed what the base had below. */
  first(node: number): Stamp | null {
    return this.#firsts.get(node) ?? (this.isFile(node) ? this.stamp(node) : null)
  }

  /** The first event that put a file here, unless that is the current file; null if there is none. */
  earlierFirst(node: number): Stamp | null {
    const first = this.#firsts.get(node)
    const isNow = this.isFile(node) && first?.eventId === this.#eventIds[node]
    return first && !isNow ? first : null
  }

  /** How many files there are below this path. */
  filesBelow(node: number): number {
    return this.#files[node]!
  }

  /** For a path that is not named: the event with a file above or below it, which removed what the base had there. */
  taken(node: number, isExact: boolean): Stamp | null {
    let taken = isExact ? this.#firstBelow[node]! : null
    for (let above = isExact ? this.#names.parent(node) : node; above > 0; above = this.#names.parent(above))
      taken = earlier(taken, this.first(above))
    return taken
  }

  /** Makes this the current version of the path. The same author always has to be the same object. */
  change(node: number, entry: FileEntry | null, stamp: Stamp): void {
    const wasFile = this.isFile(node)
    const wasOfDevice = this.#isOfDevice(node)
    const before = this.version(node)
    if (before) {
      if (wasFile && !this.#firsts.has(node))
        this.#firsts.set(node, { by: before.by, eventId: before.eventId })
      this.remember(node, PathHistory.after(this.history(node), before, { entry, by: stamp.by }))
    }
    this.#put(node, entry, stamp)
    const moreFiles = Number(entry !== null) - Number(wasFile)
    const moreOfDevices = Number(this.#isOfDevice(node)) - Number(wasOfDevice)
    if (moreFiles === 0 && moreOfDevices === 0) return
    for (let above = this.#names.parent(node); above >= 0; above = this.#names.parent(above)) {
      this.#files[above]! += moreFiles
      this.#filesOfDevices[above]! += moreOfDevices
    }
  }

  remember(node: number, history: PathHistory | null): void {
    if (history) this.#histories.set(node, history)
    else this.#histories.delete(node)
  }

  /** Remembers the first event that put a file here. Rows come in any order, so a later call may bring an earlier event. */
  markFirst(node: number, stamp: Stamp): void {
    const isNow = this.isFile(node) && this.#eventIds[node] === stamp.eventId
    if (!isNow && !this.#firsts.has(node)) this.#firsts.set(node, stamp)
    for (let above = this.#names.parent(node); above >= 0; above = this.#names.parent(above)) {
      const first = this.#firstBelow[above]
      if (first && first.eventId <= stamp.eventId) break
      this.#firstBelow[above] = stamp
    }
  }

  /** Every path that an event was about, folder by folder: looking them up in that order takes half the time. */
  *named(node = 0): Generator<number> {
    if (this.isNamed(node)) yield node
    if (this.#names.hasChildren(node))
      for (const child of this.#names.children(node)) yield* this.named(child)
  }

  *filesUnder(node: number): Generator<number> {
    if (this.isFile(node)) yield node
    if (this.filesBelow(node) > 0)
      for (const child of this.#names.children(node)) yield* this.filesUnder(child)
  }

  /** The files that cannot exist together with a file at this path: those that are its parents, and those inside it. */
  *inTheWay(node: number): Generator<number> {
    for (let above = this.#names.parent(node); above > 0; above = this.#names.parent(above))
      if (this.isFile(above)) yield above
    // A path with files inside is a folder.
    if (this.filesBelow(node) > 0) yield* this.filesUnder(node)
  }

  /**
   * Whether a rival of `by` wrote one of the files in the way of a path. The path is this node or, if not exact, a path
   * below it that the tree does not know.
   */
  isRivalInTheWay(
    node: number,
    isExact: boolean,
    by: SeenAuthor,
    isGone?: (path: WorkspacePath) => boolean,
  ): boolean {
    const stands = (one: number) => isRival(this.by(one), by) && !isGone?.(this.path(one))
    for (let above = isExact ? this.#names.parent(node) : node; above > 0; above = this.#names.parent(above))
      if (this.isFile(above) && stands(above)) return true
    if (!isExact || this.#filesOfDevices[node] === 0) return false
    for (const below of this.filesUnder(node)) if (stands(below)) return true
    return false
  }

  /** How many characters of a path are the folder of the last lookup; 0 if it is in another folder. */
  #inside(path: string): number {
    return path.startsWith(this.#lastPath) ? this.#lastPath.length : 0
  }

  #wasIn(path: string, start: number, folder: number): void {
    if (folder === this.#lastFolder) return
    this.#lastPath = path.slice(0, start)
    this.#lastFolder = folder
  }

  #isOfDevice(node: number): boolean {
    return this.isFile(node) && this.by(node).kind !== 'runner'
  }

  #put(node: number, entry: FileEntry | null, { by, eventId }: Stamp): void {
    this.#modes[node] = entry ? modes.indexOf(entry.mode) + 1 : 0
    this.#hashes[node] = entry?.hash ?? null
    this.#eventIds[node] = eventId
    this.#authors[node] = this.#numberOf(by)
  }

  #numberOf(by: SeenAuthor): number {
    const known = this.#numbers.get(by)
    if (known !== undefined) return known
    const number = this.#authorList.push(by)
    this.#numbers.set(by, number)
    return number
  }

  #makeRoom(): void {
    this.#firstBelow.push(null)
    if (this.#hashes.push(null) <= this.#modes.length) return
    const count = Math.ceil((this.#modes.length * 3) / 2)
    this.#modes = longer(this.#modes, count)
    this.#eventIds = longer(this.#eventIds, count)
    this.#authors = longer(this.#authors, count)
    this.#files = longer(this.#files, count)
    this.#filesOfDevices = longer(this.#filesOfDevices, count)
  }
}

const earlier = (a: Stamp | null, b: Stamp | null) => (a && b ? (a.eventId <= b.eventId ? a : b) : (a ?? b))

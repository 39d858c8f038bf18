import { ownCopy } from '@farhand/protocol/files/name-tree'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { FileRows, type Known, type PackedRow } from './file-rows.ts'

export type KnownFolder = {
  /** Row numbers by name, in NFC. */
  readonly files: Map<string, number>
  readonly folders: Map<string, KnownFolder>
}

const newFolder = (): KnownFolder => ({ files: new Map(), folders: new Map() })

/**
 * The files of a workspace as the disk was last seen, in little memory: 100,000 of them take about 15 MB.
 * Paths are as the log calls them; `onDisk` says how the disk spells them.
 */
export class KnownFiles {
  readonly #root = newFolder()
  readonly #rows = new FileRows()
  readonly #spelled = new Map<string, string>()
  #lastPath = ''
  #last = this.#root

  get count(): number {
    return this.#rows.count
  }

  get(path: WorkspacePath): Known | undefined {
    const row = this.#rowOf(path)
    return row === undefined ? undefined : this.#rows.get(row)
  }

  has(path: WorkspacePath): boolean {
    return this.#rowOf(path) !== undefined
  }

  /** The stamp alone, 0 for what is not known: asked for every file of every scan. */
  stamp(path: WorkspacePath): number {
    const row = this.#rowOf(path)
    return row === undefined ? 0 : this.#rows.stamp(row)
  }

  set(path: WorkspacePath, known: Known): void {
    const slash = path.lastIndexOf('/')
    const folder = this.#folderFor(path, slash)
    const name = path.slice(slash + 1)
    const row = folder.files.get(name)
    if (row === undefined) folder.files.set(ownCopy(name), this.#rows.add(known))
    else this.#rows.put(row, known)
  }

  /** Its stamp proves nothing any more. */
  distrust(path: WorkspacePath): void {
    if (this.stamp(path) !== 0) this.set(path, { ...this.get(path)!, stamp: 0 })
  }

  /** Adds a file that is not known yet. */
  add(path: WorkspacePath, stamp: number, known: PackedRow): void {
    const slash = path.lastIndexOf('/')
    const row = this.#rows.addPacked(stamp, known)
    this.#folderFor(path, slash).files.set(ownCopy(path.slice(slash + 1)), row)
  }

  /** Forgets a file, and the folders that only it was in. Says whether it was known. */
  delete(path: WorkspacePath): boolean {
    const slash = path.lastIndexOf('/')
    const folder = this.folder(slash === -1 ? '' : path.slice(0, slash))
    const row = folder?.files.get(path.slice(slash + 1))
    if (!folder || row === undefined) return false
    folder.files.delete(path.slice(slash + 1))
    this.#rows.remove(row)
    this.#spelled.delete(path)
    if (isEmpty(folder)) this.#prune(path)
    return true
  }

  /** Whether anything is known below this path. Cheap to ask of many paths in one folder. */
  hasBelow(path: string): boolean {
    const slash = path.lastIndexOf('/')
    const folder = slash === -1 ? this.#root : this.#folderOf(path, slash)
    return folder !== undefined && folder.folders.size > 0 && folder.folders.has(path.slice(slash + 1))
  }

  /** What is known below a folder; '' is the workspace. */
  folder(path: string): KnownFolder | undefined {
    let folder: KnownFolder | undefined = this.#root
    for (let start = 0; folder && start < path.length; ) {
      const slash = path.indexOf('/', start)
      const end = slash === -1 ? path.length : slash
      folder = folder.folders.get(path.slice(start, end))
      start = end + 1
    }
    return folder
  }

  /** Every path below a folder. Nothing may be changed meanwhile. */
  *below(path: string): Generator<WorkspacePath> {
    const folder = this.folder(path)
    if (!folder) return
    const start = path === '' ? '' : `${path}/`
    for (const name of folder.files.keys()) yield (start + name) as WorkspacePath
    for (const name of folder.folders.keys()) yield* this.below(start + name)
  }

  /** Notes that the disk calls the last part of this path, a file or a folder, by another spelling. */
  spell(path: string, name: string): void {
    if (path.slice(path.lastIndexOf('/') + 1) === name) this.#spelled.delete(path)
    else this.#spelled.set(path, name)
  }

  /** Whether the disk spells anything in another way. */
  get isSpelled(): boolean {
    return this.#spelled.size > 0
  }

  /** The last part of this path as the disk spells it. */
  spelling(path: string): string {
    if (this.#spelled.size === 0) return path.slice(path.lastIndexOf('/') + 1)
    return this.#spelled.get(path) ?? path.slice(path.lastIndexOf('/') + 1)
  }

  /** This path, relative to the workspace, as the disk spells it. */
  onDisk(path: string): string {
    if (this.#spelled.size === 0) return path
    let spelled = ''
    for (let slash = path.indexOf('/'); ; slash = path.indexOf('/', slash + 1)) {
      const here = slash === -1 ? path : path.slice(0, slash)
      spelled += this.spelling(here)
      if (slash === -1) return spelled
      spelled += '/'
    }
  }

  #rowOf(path: string): number | undefined {
    const slash = path.lastIndexOf('/')
    if (slash === -1) return this.#root.files.get(path)
    return this.#folderOf(path, slash)?.files.get(path.slice(slash + 1))
  }

  /** The folder a path is in. Most are asked for many times in a row. */
  #folderOf(path: string, slash: number): KnownFolder | undefined {
    if (this.#lastPath.length === slash && path.startsWith(this.#lastPath)) return this.#last
    const above = path.slice(0, slash)
    const folder = this.folder(above)
    if (folder) {
      this.#lastPath = above
      this.#last = folder
    }
    return folder
  }

  #folderFor(path: string, slash: number): KnownFolder {
    if (slash === -1) return this.#root
    return this.#folderOf(path, slash) ?? this.#grow(path.slice(0, slash))
  }

  #grow(path: string): KnownFolder {
    let folder = this.#root
    for (const name of path.split('/')) {
      let next = folder.folders.get(name)
      if (!next) {
        next = newFolder()
        folder.folders.set(ownCopy(name), next)
      }
      folder = next
    }
    this.#lastPath = path
    this.#last = folder
    return folder
  }

  #prune(path: string): void {
    this.#lastPath = ''
    this.#last = this.#root
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const above = path.lastIndexOf('/', end - 1)
      const parent = this.folder(above === -1 ? '' : path.slice(0, above))!
      const name = path.slice(above + 1, end)
      if (!isEmpty(parent.folders.get(name)!)) return
      parent.folders.delete(name)
    }
  }
}

const isEmpty = ({ files, folders }: KnownFolder) => files.size === 0 && folders.size === 0

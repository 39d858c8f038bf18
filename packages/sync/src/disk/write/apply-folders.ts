import { lstatSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import type { KnownFiles } from '../index/known-files.ts'
import { type HeldFolders, isNoFolder } from '../workspace/held-folders.ts'
import { nameOf, parentOf } from '../workspace/path-parts.ts'
import { codeOf } from '../workspace/system-code.ts'

/** What is where a folder has to be: something not synced, a file or link we know, or the same name in another case. */
export type InTheWay = { is: 'in-the-way' } | { is: 'known'; path: string } | { is: 'clash' }

/**
 * The folders that files are put into and taken out of. Each one on the way is looked at, and is never a link; all
 * are held until `forget`, for a folder may be traded for a link at any time.
 */
export class ApplyFolders {
  readonly #held: HeldFolders
  readonly #known: KnownFiles
  readonly #isCaseless: () => boolean
  readonly #listed = new Map<string, Set<string>>()
  readonly #made = new Set<string>()
  readonly #maybeEmpty = new Set<string>()

  constructor(held: HeldFolders, known: KnownFiles, isCaseless: () => boolean) {
    this.#held = held
    this.#known = known
    this.#isCaseless = isCaseless
  }

  forget(): void {
    this.#held.release()
    this.#listed.clear()
  }

  /** How many are held. There is a limit to what one process may. */
  get count(): number {
    return this.#held.count
  }

  /** Where this path is, good until `forget`. Its folder has to exist. Throws errors of the system. */
  place(path: string): string {
    const disk = this.#known.onDisk(path)
    return `${this.#held.enter(parentOf(disk))}/${nameOf(disk)}`
  }

  /** Whether `place` leads into the folder of this path, and cannot lead out of the workspace. */
  isSafe(path: string): boolean {
    return this.#held.isSafe(parentOf(this.#onDisk(path)))
  }

  /** Whether the folder of this path is still the one that `place` leads to, and not moved to somewhere else. */
  isStill(path: string): boolean {
    return this.#held.isStill(parentOf(this.#onDisk(path)))
  }

  /** Whether a path is in a folder that was made a moment ago by us, where nothing else can be expected. */
  isFresh(path: string): boolean {
    const above = parentOf(path)
    return this.#made.has(above) && this.#held.has(this.#onDisk(above))
  }

  /** Makes the folder of a path, and those above it. Says what is in the way, else null. */
  make(path: string): InTheWay | null {
    if (this.#held.has(this.#onDisk(path))) return null
    const trouble = path === '' ? null : this.make(parentOf(path))
    if (trouble) return trouble
    if (path !== '') {
      const place = this.place(path)
      const stats = lstatSync(place, { throwIfNoEntry: false })
      if (!stats) {
        mkdirSync(place)
        this.#made.add(path)
      } else if (stats.isDirectory() && this.isClash(path)) return { is: 'clash' }
    }
    if (this.isReachable(path)) return null
    return this.#known.has(path as never) ? { is: 'known', path } : { is: 'in-the-way' }
  }

  /** Whether every folder above this path is there and none is a link. */
  isReachable(path: string): boolean {
    try {
      this.#held.enter(this.#onDisk(path))
      return true
    } catch (error) {
      if (isNoFolder(error)) return false
      throw error
    }
  }

  /** Whether what is there is spelled in other letters, which this disk takes for the same (S10). */
  isClash(path: string): boolean {
    if (!this.#isCaseless()) return false
    const slash = path.lastIndexOf('/')
    const above = slash === -1 ? '' : path.slice(0, slash)
    let names = this.#listed.get(above)
    if (!names) {
      names = new Set(readdirSync(this.#held.enter(this.#onDisk(above))).map((name) => name.normalize()))
      this.#listed.set(above, names)
    }
    return !names.has(path.slice(slash + 1))
  }

  /** Something was taken out of the folder of this path. */
  tookOut(path: string): void {
    const slash = path.lastIndexOf('/')
    if (slash !== -1) this.#maybeEmpty.add(path.slice(0, slash))
  }

  /** Nothing was put into the folder of this path after all. */
  gaveUp(path: string): void {
    if (this.#made.has(path.slice(0, Math.max(0, path.lastIndexOf('/'))))) this.tookOut(path)
  }

  /** Removes this folder if nothing is left in it or in those below it that we emptied. Never removes a file. */
  clear(path: string): boolean {
    const below = [...this.#maybeEmpty].filter((folder) => folder === path || folder.startsWith(`${path}/`))
    for (const folder of deepestFirst(below)) this.#removeUpTo(folder, path)
    return this.#remove(path)
  }

  /** Removes what was emptied, and the folders above that held nothing else. */
  sweep(): void {
    for (const folder of deepestFirst(this.#maybeEmpty)) {
      this.#removeUpTo(folder, '')
      this.forget()
    }
    this.#maybeEmpty.clear()
    this.#made.clear()
  }

  #removeUpTo(path: string, top: string): void {
    for (let folder = path; folder !== top && folder !== ''; ) {
      if (!this.#remove(folder)) return
      const slash = folder.lastIndexOf('/')
      folder = slash === -1 ? '' : folder.slice(0, slash)
    }
  }

  #remove(path: string): boolean {
    try {
      if (!this.isReachable(parentOf(path))) return false
      rmdirSync(this.place(path))
    } catch (error) {
      return codeOf(error) === 'ENOENT'
    }
    this.#held.removed(this.#onDisk(path))
    return true
  }

  #onDisk(path: string): string {
    return path === '' ? '' : this.#known.onDisk(path)
  }
}

const deepestFirst = (folders: Iterable<string>) => [...folders].sort((a, b) => b.length - a.length)
